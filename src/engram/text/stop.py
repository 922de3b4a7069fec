"""Words that people use to ask, and that say nothing about what they ask for.

Only queries lose them: a memory keeps all its words, so that its length is honest and a title such as "To be or not to
be" can still be found. English, Spanish, Vietnamese (syllables) and Chinese (pairs of characters, as the word splitter
makes them). A word that is content in one of these languages and a stop word in another stays out of the list unless
it is a very frequent one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ENGLISH", "SPANISH", "VIETNAMESE", "language", "stop_words"]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = _set(
    """a about above after again all also am an and any anybody anyone anything are aren't as at be because been
    before being below between both but by can can't cannot could couldn't did didn't do does doesn't doing
    don't done down during each either else etc ever every everything few for from further get gets getting give
    gives given going gonna got had hadn't has hasn't have haven't having he hello help her here hers hey hi him
    his how however i if in into is isn't it its itself just know kindly let lets like lot lots many may maybe
    me might mine more most much must my myself need needed needs neither no nor not now of off ok okay on once
    one ones only or other others ought our ours out over own please really same say see shall she should
    shouldn't show so some somebody someone something such sure tell than thank thanks that the their theirs
    them then there these they thing things think this those though through thus to too try trying under until
    up upon us very via wanna want wanted wants was wasn't way ways we well were weren't what whatever when
    where whether which while who whom whose why will with within without won't would wouldn't use used uses
    using yes yet you your yours yourself"""
)

SPANISH = _set(
    """a al algo alguien algún alguna algunas alguno algunos ante antes aquel aquella aquellas aquellos aquí así
    aunque ayuda ayudar ayúdame bajo bien cada casi como cómo con cuál cuáles cualquier cuando cuándo cuánta
    cuántas cuánto cuántos cuanto de debe deben debería debo del desde después donde dónde durante e el él ella
    ellas ellos en entonces entre eran es esa esas ese eso esos esta está están estar estas este esto estos
    estoy favor fue fueron gracias ha haber había hace hacer hacia hago han hasta hay hola la las le les lo los
    luego más me mi mientras mis mucha muchas mucho muchos muy nada ni ningún ninguna ninguno no nos nosotros
    nuestra nuestro o os otra otras otro otros para pero poco por porque pude puede pueden puedes puedo pues que
    qué quien quién quienes quiénes quiero quiere quisiera sé se según ser si sí sido sobre sólo soy su sus tal
    también tan tanto te tener tengo tiene tienen toda todas todo todos tu tú tus u un una unas uno unos usted
    ustedes va vamos voy y ya yo necesito necesita necesitamos"""
)

VIETNAMESE = _set(
    """anh bạn bằng bị bởi các cái cách cần chị cho chúng chưa có còn của cũng đã đang đây đến để đi được gì giúp
    hãy hoặc khi không là lại làm lên mà mình mọi một muốn nào này nên nếu ngay như những nó ở ra rất rằng rồi
    sao sau sẽ ta tại thế thì theo thể thôi tôi trên trong từ tới và vẫn vào về vì việc với vậy xin xuống"""
)

_CHINESE = _set(
    """什么 怎么 怎样 如何 为什 为何 么样 哪些 哪个 哪里 哪种 哪位 多少 几个 多久 多大 是否 是不 不是 有没 没有
    可以 能够 能否 需要 想要 我想 我要 我们 你们 他们 它们 请问 请帮 帮我 帮忙 一个 一下 一些 这个 那个 这些
    那些 这里 那里 以及 或者 而且 但是 因为 所以 如果 的是 是什 是谁 谁是 了多 有多 有哪 在哪 是哪 什麼 怎麼
    為什 哪裡 這個 那個 我們 沒有 是多 的什 了什 有什 做什 的 了 是 在 和 与 或 我 你 他 她 它 吗 呢 吧 啊 把 被
    对 就 都 也 很 不 有 要 请 帮 谁 这 那"""
)

# Spanish and Vietnamese stop words that are content elsewhere (sin of an angle, DOS, HA, AI): they go only from a query
# that is in that language anyway.
_AMBIGUOUS_SPANISH = frozenset(("dos", "era", "ha", "sea", "sin", "solo", "son"))
_AMBIGUOUS_VIETNAMESE = frozenset(("ai", "em", "hay"))


def stop_words(words: Iterable[str]) -> frozenset[str]:
    """Return which of the words of a query say nothing about its subject."""
    present = frozenset(words)
    spanish, vietnamese = present & SPANISH, present & VIETNAMESE
    found = (present & ENGLISH) | spanish | vietnamese | (present & _CHINESE)
    if len(spanish) >= 2:
        found |= present & _AMBIGUOUS_SPANISH
    if len(vietnamese) >= 2:
        found |= present & _AMBIGUOUS_VIETNAMESE
    return found


def language(words: Iterable[str]) -> str:
    """Return which stems the words of a text take: ``es`` where more function words are Spanish than English.

    ``en`` where more are English, and nothing where neither shows.
    """
    present = frozenset(words)
    balance = len(present & SPANISH) - len(present & ENGLISH)
    return "es" if balance > 0 else "en" if balance < 0 else ""
