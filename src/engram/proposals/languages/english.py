"""English."""

from __future__ import annotations

from engram.proposals.languages.tables import Language, keyed, pairs, remembered, word_set
from engram.text.stems import english

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

__all__ = ["ENGLISH"]

_IRREGULAR = {
    "kept": "keep", "written": "write", "wrote": "write", "sent": "send", "built": "build", "ran": "run",
    "held": "hold", "made": "make", "chosen": "choose", "chose": "choose", "gone": "go", "went": "go", "goes": "go",
    "taken": "take", "took": "take", "given": "give", "gave": "give", "begun": "begin", "began": "begin",
    "led": "lead", "met": "meet", "paid": "pay", "done": "do", "shown": "show", "lives": "live", "forbidden": "forbid",
    "hidden": "hide", "drawn": "draw", "broken": "break", "spoken": "speak", "known": "know", "begins": "begin",
    "people": "person", "has": "have", "had": "have",
}  # fmt: skip


@remembered
def _key(word: str) -> str:
    return english(_IRREGULAR.get(word, word).removesuffix("'s"))


def _stems(text: str) -> Container[str]:
    return keyed(text, _key)


_PHRASES = {
    # Denials.
    "never": "NOT", "not": "NOT", "no": "NOT", "don't": "MUST NOT", "dont": "MUST NOT", "doesn't": "MUST NOT",
    "didn't": "MUST NOT",
    "can't": "MUST NOT", "cannot": "MUST NOT", "mustn't": "MUST NOT", "shouldn't": "MUST NOT", "won't": "MUST NOT",
    "isn't": "BE NOT", "aren't": "BE NOT", "wasn't": "BE NOT", "weren't": "BE NOT", "no longer": "NOT",
    "not allowed to": "MUST NOT", "nobody": "NOT", "none": "NOT", "at no time": "NOT", "under no circumstances": "NOT",
    "does not": "MUST NOT", "do not": "MUST NOT", "did not": "MUST NOT", "doesnt": "MUST NOT", "must never": "MUST NOT",
    "not permitted to": "MUST NOT", "is off": "BE disabled", "are off": "BE disabled", "is on": "BE enabled",
    "turn off": "disable", "turned off": "disabled", "switch off": "disable", "switched off": "disabled",
    "turn on": "enable", "turned on": "enabled", "switch on": "enable", "switched on": "enabled",
    "out of bounds": "forbidden", "not ok": "forbidden",
    "don't forget to": "", "do not forget to": "", "never forget to": "", "never fail to": "", "don't hesitate to": "",
    "do not hesitate to": "", "without exception": "", "without fail": "", "stop using": "NOT use",
    "quit using": "NOT use",
    "need not": "MUST NOT", "needn't": "MUST NOT",
    # Where a verb follows.
    "must": "MUST", "should": "MUST", "shall": "MUST", "will": "MUST", "may": "MAY", "can": "MAY", "could": "MAY",
    "would": "MUST", "might": "MAY", "has to": "MUST", "have to": "MUST", "need to": "MUST", "needs to": "MUST",
    "ought to": "MUST", "had to": "MUST", "is to": "MUST", "are to": "MUST",
    "is required to": "MUST", "are required to": "MUST", "is expected to": "MUST", "are expected to": "MUST",
    "is allowed to": "MAY", "are allowed to": "MAY", "is permitted to": "MAY", "are permitted to": "MAY",
    "is free to": "MAY", "are free to": "MAY", "be sure to": "", "make sure to": "", "remember to": "",
    "is": "BE", "are": "BE", "was": "BE", "were": "BE", "be": "BE", "been": "BE", "being": "BE", "=": "BE", "am": "BE",
    "it's": "BE", "equals": "BE", "is called": "BE", "is named": "BE", "are called": "BE", "means": "BE",
    "is set to": "BE", "are set to": "BE", "remains": "BE", "stays": "BE", "becomes": "BE",
    # Reasons and what was not chosen.
    "because": "BECAUSE", "since": "BECAUSE", "so that": "BECAUSE", "due to": "BECAUSE", "so": "BECAUSE",
    "to avoid": "BECAUSE", "in order to": "BECAUSE", "otherwise": "BECAUSE", "or else": "BECAUSE", "which": "BECAUSE",
    "to prevent": "BECAUSE", "thanks to": "BECAUSE", "given that": "BECAUSE", "for the reason": "BECAUSE",
    "even if": "BECAUSE", "even though": "BECAUSE", "even on": "BECAUSE", "even for": "BECAUSE", "even when": "BECAUSE",
    "to make sure": "BECAUSE", "to ensure": "BECAUSE", "whereas": "BECAUSE",
    "instead of": "INSTEAD", "rather than": "INSTEAD", "and not": "INSTEAD", "over": "over", "as opposed to": "INSTEAD",
    "but not": "INSTEAD", "in place of": "INSTEAD", "in favour of": "to", "in favor of": "to",
    # Limits, and words that belong together.
    "at least": "LEAST", "no less than": "LEAST", "no fewer than": "LEAST", "a minimum of": "LEAST",
    "at most": "MOST", "no more than": "MOST", "not more than": "MOST", "up to": "MOST", "a maximum of": "MOST",
    "less than": "below", "fewer than": "below", "more than": "above", "not only": "", "not just": "",
    "as soon as": "when", "as long as": "while", "in case of": "if", "with respect to": "for", "as well as": "and",
    "prior to": "before", "by means of": "with", "in front of": "before", "on top of": "on", "out of": "from",
    "such as": "like", "according to": "by", "by default": "", "at the moment": "", "for now": "", "right now": "",
    "from now on": "", "as of now": "", "at all times": "", "in general": "", "every time": "each", "of course": "",
    "in parallel": "parallel", "in sequence": "sequential", "in series": "sequential", "per cent": "%", "percent": "%",
}  # fmt: skip

_PREPOSITIONS = {
    word: word
    for word in word_set(
        "in on at to from with without by for of as via through using under into within after before during when while"
        " if unless until between against about across behind beside over above below per onto than till except where"
        " inside outside whenever every despite like among towards around past"
    )
}
_PREPOSITIONS |= {"using": "with", "via": "through", "inside": "in", "into": "in", "onto": "on", "till": "until",
                  "whenever": "when", "except": "unless"}  # fmt: skip

_FLIPS = {
    "avoid": "", "forbid": "", "forbidden": "", "prohibit": "", "ban": "", "disallow": "", "deni": "", "prevent": "",
    "illeg": "", "unaccept": "", "off-limit": "", "disabl": "enabl", "deactiv": "enabl", "refus": "accept",
    "reject": "accept", "exclud": "includ",
}  # fmt: skip

ENGLISH = Language(
    code="en",
    phrases=_PHRASES,
    ends=frozenset(("is on", "are on", "is off", "are off")),
    fillers=word_set(
        """always please also just really now currently already strictly simply usually generally typically still ever
        then there that's let's let do does did only again however therefore thus hence absolutely definitely
        necessarily even all each both every any some today's it explicitly consistently exclusively solely"""
    ),
    articles=word_set(
        """a an the this that these those our my your their its his her every each all any some no both another"""
    ),
    people=word_set(
        """we you i they one everyone everybody team teams project repo repository codebase company developers
        developer people person someone anybody anyone agents agent he she us contributors engineers"""
    ),
    prepositions=_PREPOSITIONS,
    scopes=word_set("for of before after during when while if unless until per about against except where every like"),
    choose=_stems("use prefer choose pick adopt employ utilise utilize favour favor standardise standardize select"),
    settle=_stems(
        """store keep save put write log send deploy publish host place push record track document name call
        format indent release ship report serialize serialise encode encrypt sign cut compress build compile
        install manage generate render merge tag authenticate cache validate measure live run listen reside own
        maintain lead approve belong locate move migrate switch bill pay price ship serve speak expire return cost
        take last open close start end begin happen occur finish implement license licence draw upload archive
        retry time limit set pin base target follow change go translate test lint quote sort delimit separate
        count schedule plan hold import back persist index assign sit stand stay remain work pack bundle print monitor
        display show calculate compute express commit review handle process load read fetch dial rotate backup
        meet arrive leave depart average total round export"""
    ),
    stays=_stems("meet gather assemble park sit stay live reside lodge sleep camp wait work lunch dine"),
    verbs=_stems(
        """add allow ask check clean contain copy create declare define delete depend describe drop enable ensure
        expect export fail fix get give have help hide include increase reduce inform invite join know let
        link list look mark mention mock need notify order pass pause post prepare prevent produce protect provide pull
        query queue reach rebase receive refactor reject remember remove rename reopen repeat replace request require
        reset resolve respond restart restore retain retire reuse roll say scale search see share skip split squash
        start stop store submit support sync tell throw touch trigger trust try turn undo update upgrade verify wait
        warn watch weigh wrap trace treat force avoid accept connect consume convert crash cover debug detect do emit
        escape evaluate exceed execute expose extend extract filter flag flush freeze grant group guard hit ignore
        inject inspect invoke iterate lock lower map match mount nest normalize open override parse patch ping poll
        prefix print prune rate redirect register rely render reproduce retry route sample sanitize scan seed sell
        shut sleep stage stream strip suffix suspend swap switch tear terminate throttle unlock visit wipe yield carry
        lift buy eat drink bring wear hire feed refill borrow provision scaffold orchestrate
        juggle whisk knead simmer staple gather collect assemble attach bake boil fry chop peel slice rinse wash sew
        decrease lengthen shorten
        knit weld solder glue unwrap pour stir mix blend melt thaw sprinkle marinate roast dig sow harvest trim mow
        fertilize hang tie untie uncover bury climb ride tow haul drag raise sing teach learn greet welcome thank donate
        lend lease insure rehearse memorise recite summarise sketch harden fold grab stack unstack load unload reload
        heap pile park gather lodge sleep camp seat house employ comprise consist count span fit leak drift rot lean
        tilt creak collapse topple rattle rust sag jam overheat hum buzz flicker blink beep wobble drip sink slip
        spin edit talk communicate discuss answer reply annotate announce apply approve audit authorise authorize cancel
        charge clone construct decode decompress decrypt deliver demote promote destroy dispatch downgrade download
        enqueue dequeue escalate estimate evict exit expand explain initialise initialize insert instantiate invalidate
        minify onboard paginate paint polish prepend append prioritise prioritize publish reboot refund replicate resize
        revert revoke sanitise scroll subscribe unsubscribe synchronise synchronize transfer transpile truncate unmount
        upsert toggle"""
    ),
    flips=_FLIPS,
    grants=_stems("allow permit acceptable ok okay fine legal"),
    opposites=pairs(
        """before/after with/without LEAST/MOST above/below true/false required/optional mandatory/optional
        public/private open/closed synchronous/asynchronous sync/async manual/automatic manually/automatically
        sequential/parallel serial/parallel sequentially/concurrently enabled/disabled slow/fast mutable/immutable
        strict/lenient safe/unsafe stable/unstable supported/unsupported case-sensitive/case-insensitive on/off
        stateless/stateful encrypted/unencrypted yes/no ascending/descending inclusive/exclusive local/remote
        single/multiple first/last upper/lower uppercase/lowercase odd/even daily/weekly daily/monthly daily/hourly
        weekly/monthly hourly/weekly nightly/weekly yearly/monthly free/paid cheap/expensive signed/unsigned
        relative/absolute blocking/non-blocking eager/lazy eagerly/lazily internal/external inside/outside
        compulsory/optional optional/necessary""",
        _key,
    ),
    contraries=pairs(
        """increase/decrease increase/reduce increase/lower raise/lower raise/reduce raise/decrease lengthen/shorten
        increase/shorten""",
        _key,
    ),
    attributes=_stems(
        """limit timeout port color colour version name branch owner lead maintainer day time format language license
        licence region database editor theme style indent indentation encoding currency default size length width
        interval ttl count number threshold target level host url address path folder directory prefix suffix deadline
        budget price cost rate quota capital headquarters office location channel stack framework library tool
        formatter linter manager runner provider strategy policy mode status delay window period age limit maximum
        minimum max min retention duration depth height weight temperature password username account contact sponsor
        chair reviewer approver font unit separator delimiter convention standard protocol schema engine registry
        bucket queue topic key role date week month year quarter hour floor room platform hosting vendor supplier
        domain endpoint entrypoint order priority frequency cadence base compiler interpreter runtime shell timezone
        zone locale charset hash algorithm cipher model orchestrator scheduler broker gateway store storage backend
        frontend home source destination root system method approach tracker board process chef boss ceo cto client
        customer"""
    ),
    prefers=word_set("prefer favor favour better INSTEAD"),
    clauses=word_set("that which who whom whose when if because while unless until whenever where what how than as"),
    key=_key,
    loose=_key,
)
