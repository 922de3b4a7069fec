"""Tokens of clouds, forges and package registries, by the formats that they publish (C3 of the complaint kinds).

A format is a fact: a mark that it begins with, an alphabet, a length. Where a provider leaves the length open or has
changed it, the row has the least one. A documented example key such as AWS's own is refused too: whoever leaves it out
of a memory loses nothing.
"""

from __future__ import annotations

from engram.safety.judging import is_mixed, is_random, is_real
from engram.safety.rule import ALNUM, Rule

__all__ = ["BASE64", "TOKEN", "TOKENS", "UUID", "row"]

TOKEN = ALNUM + "_-"
BASE64 = ALNUM + "+/="
END = r"(?![A-Za-z0-9])"
UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


# No provider's token is shorter, its mark included.
_LEAST = 16


def row(kind: str, label: str, starts: tuple[str, ...], body: str, *, tail: str = "") -> Rule:
    """Build the row of a token that begins with a mark; it ends where its characters end.

    Args:
        kind: as in ``Rule``.
        label: as in ``Rule``.
        starts: the marks.
        body: an expression for what follows them; without ``tail`` no letter and no digit may follow it.
        tail: the characters that may follow without a greatest length.
    """
    return Rule(kind, label, starts, body if tail else body + END, longest=_LEAST, tail=tail, accept=is_real)


_CLOUDS = (
    row("aws-access-key", "an AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), "[A-Z0-9]{16}"),
    row("aws-access-key", "an AWS access key", ("A3T",), "[A-Z0-9]{17}"),
    row("aws-bedrock-key", "an Amazon Bedrock key", ("ABSK",), "[A-Za-z0-9+/]{80}", tail=BASE64),
    row("aws-bedrock-key", "an Amazon Bedrock key", ("bedrock-api-key-",), "[A-Za-z0-9+/]{20}", tail=BASE64),
    Rule("google-key", "a Google API key", ("AIza",), r"[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", accept=is_real),
    row("google-oauth-secret", "a Google client secret", ("GOCSPX-",), "[A-Za-z0-9_-]{24}", tail=TOKEN),
    row("google-oauth-token", "a Google access token", ("ya29.",), r"(?:[a-z]\.)?[A-Za-z0-9_-]{20}", tail=TOKEN + "."),
    row("google-key", "a Google API key", ("AQ.Ab8",), "[A-Za-z0-9_-]{40}", tail=TOKEN),
    row("google-oauth-token", "a Google refresh token", ("1//0",), "[A-Za-z0-9_-]{40}", tail=TOKEN),
    Rule(
        "azure-client-secret",
        "an Azure client secret",
        (),
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])",
        needs=("Q~",),
        accept=is_real,
    ),
    Rule(
        "azure-storage-key",
        "an Azure storage key",
        ("AccountKey=", "SharedAccessKey="),
        r"([A-Za-z0-9+/]{42,86}={1,2})",
        accept=is_real,
    ),
    # The newer keys carry a mark of their service near the end: https://aka.ms/commonannotatedsecuritykeys.
    Rule(
        "azure-service-key",
        "an Azure service key",
        (),
        r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{33,76}(?:AzFu|AzSe|ACDb|\+ASt|\+AEh|\+AIo|\+ASb|\+ACR|\+ABa|AIoT|APIM)"
        r"[A-Za-z0-9+/]{5,6}={0,2}(?![A-Za-z0-9+/=])",
        needs=("AzFu", "AzSe", "ACDb", "+ASt", "+AEh", "+AIo", "+ASb", "+ACR", "+ABa", "AIoT", "APIM"),
        accept=is_mixed,
    ),
    Rule(
        "azure-devops-token",
        "an Azure DevOps token",
        (),
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}" + END,
        needs=("AZDO",),
        accept=is_real,
    ),
    Rule(
        "azure-sas",
        "an Azure shared access signature",
        ("sig=",),
        r"([A-Za-z0-9/+%]{40,120}={0,2})",
        accept=is_mixed,
    ),
    Rule(
        "azure-function-key",
        "a key of an Azure function",
        (".azurewebsites.net/",),
        r"[^\s?\"'`]{0,200}\?(?:[^\s\"'`]{0,200}&)?code=([A-Za-z0-9_/+%-]{40,80}={0,2})",
        before="",
        accept=is_random,
    ),
    row("alibaba-key", "an Alibaba Cloud key", ("LTAI",), "[A-Za-z0-9]{12,20}"),
    row("tencent-key", "a Tencent Cloud key", ("AKID",), "[A-Za-z0-9]{32}"),
    row("volcengine-key", "a Volcano Engine key", ("AKLT",), "[A-Za-z0-9]{40}", tail=ALNUM),
    row("baidu-key", "a Baidu Cloud key", ("bce-v3/ALTAK-",), "[A-Za-z0-9]{21}/[a-f0-9]{40}"),
    Rule("yandex-key", "a Yandex Cloud key", ("AQVN",), "[A-Za-z0-9_-]{35,38}" + END, accept=is_mixed),
    row("yandex-key", "a Yandex Cloud token", ("y0_", "t1.9eu"), "[A-Za-z0-9_-]{30}", tail=TOKEN + ".="),
    row("digitalocean-token", "a DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), "[a-f0-9]{64}"),
    row("cloudflare-key", "a Cloudflare key", ("v1.0-",), "[a-f0-9]{24}-[a-f0-9]{100}", tail="0123456789abcdef"),
    row("heroku-key", "a Heroku key", ("HRKU-",), f"(?:AA[A-Za-z0-9_-]{{58}}|{UUID})"),
    row("fly-token", "a Fly.io token", ("fo1_",), "[A-Za-z0-9_-]{43}"),
    row("fly-token", "a Fly.io token", ("fm1a_", "fm1r_", "fm2_"), "[A-Za-z0-9+/]{60}", tail=BASE64 + ","),
    row("render-key", "a Render key", ("rnd_",), "[A-Za-z0-9]{28}", tail=ALNUM),
    row("vercel-token", "a Vercel token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), "[A-Za-z0-9]{50}", tail=ALNUM),
    row("vercel-token", "a Vercel Blob token", ("vercel_blob_rw_",), "[A-Za-z0-9]{16}_[A-Za-z0-9]{24}", tail=ALNUM),
    row("netlify-token", "a Netlify token", ("nfp_", "nfc_", "nfo_", "nfu_"), "[A-Za-z0-9_]{36}", tail=ALNUM),
    row("scalingo-token", "a Scalingo token", ("tk-us-",), "[A-Za-z0-9_-]{48}"),
    row("openshift-token", "an OpenShift token", ("sha256~",), "[A-Za-z0-9_-]{43}"),
    row("databricks-token", "a Databricks token", ("dapi", "dosei"), "[a-f0-9]{32}(?:-[0-9])?"),
    row("doppler-token", "a Doppler token", ("dp.pt.", "dp.ct.", "dp.sa."), "[A-Za-z0-9]{40}", tail=ALNUM),
    row("doppler-token", "a Doppler token", ("dp.st.", "dp.scim.", "dp.audit."), "[A-Za-z0-9._-]{40}", tail=ALNUM),
    row("vault-token", "a Vault token", ("hvs.", "hvb.", "hvr."), "[A-Za-z0-9_-]{24}", tail=TOKEN),
    # The older ones. A method looks like it, but its name is put together of words.
    Rule(
        "vault-token",
        "a Vault token",
        ("s.",),
        r"[A-Za-z0-9]{24}(?![A-Za-z0-9_(]|\.[A-Za-z0-9])",
        before=ALNUM + "._-/",
        longest=26,
        accept=is_random,
    ),
    row("kubeadm-token", "a token to join a cluster", ("--token ", "--token="), r"[a-z0-9]{6}\.[a-z0-9]{16}").replace(
        longest=0
    ),
    row(
        "convex-key",
        "a Convex deploy key",
        ("prod:", "preview:", "dev:"),
        r"[a-z0-9-]{5,60}\|[A-Za-z0-9+/]{40}",
        tail=BASE64,
    ),
    row("okta-token", "an Okta token", ("SSWS ",), "00[A-Za-z0-9_-]{40}(?![_-])").replace(longest=0),
    row("dnsimple-token", "a DNSimple token", ("dnsimple_a_", "dnsimple_u_"), "[A-Za-z0-9]{32}", tail=ALNUM),
    row("xata-key", "a Xata key", ("xau_",), "[A-Za-z0-9]{32}", tail=ALNUM).replace(accept=is_mixed),
    Rule(
        "terraform-token",
        "a Terraform token",
        (),
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}" + END,
        needs=(".atlasv1.",),
        accept=is_real,
    ),
    row("pulumi-token", "a Pulumi token", ("pul-",), "[a-f0-9]{40}"),
    row(
        "planetscale-token",
        "a PlanetScale token",
        ("pscale_tkn_", "pscale_oauth_", "pscale_pw_"),
        "[A-Za-z0-9_=.-]{32,64}",
    ),
    row("supabase-key", "a Supabase key", ("sbp_", "sb_secret_"), "[A-Za-z0-9_-]{20}", tail=TOKEN),
    row("neon-key", "a Neon key", ("napi_",), "[A-Za-z0-9]{40}", tail=ALNUM),
    Rule("clickhouse-key", "a ClickHouse Cloud key", ("4b1d",), "[A-Za-z0-9]{38}" + END, accept=is_mixed),
    row("mongodb-key", "a MongoDB Atlas secret", ("mdb_sa_sk_",), "[A-Za-z0-9_-]{40}", tail=TOKEN),
    row("tailscale-key", "a Tailscale key", ("tskey-",), "[a-z]{3,12}-[A-Za-z0-9]{6,24}-[A-Za-z0-9]{16}", tail=ALNUM),
    row("defined-token", "a Defined Networking token", ("dnkey-",), "[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
    row("onepassword-token", "a 1Password token", ("ops_eyJ",), "[A-Za-z0-9+/_-]{50}", tail=BASE64 + "_-"),
    row(
        "onepassword-key",
        "a 1Password secret key",
        ("A3-",),
        "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    row("age-key", "an age key", ("AGE-SECRET-KEY-1",), "[A-Z0-9]{58}"),
    row("swarm-token", "a Docker Swarm token", ("SWMTKN-1-",), "[a-z0-9]{40,60}-[a-z0-9]{25}"),
    row("swarm-token", "a Docker Swarm key", ("SWMKEY-1-",), "[A-Za-z0-9+/]{43}"),
)

_FORGES = (
    row("github-token", "a GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), "[A-Za-z0-9]{36}", tail=ALNUM),
    row("github-token", "a GitHub token", ("github_pat_",), "[A-Za-z0-9_]{36}", tail=TOKEN),
    row(
        "gitlab-token",
        "a GitLab token",
        ("glpat-", "gldt-", "glrt-", "glft-", "glsoat-", "glcbt-", "glffct-", "glwt-", "glrtr-", "GR1348941"),
        r"(?:[A-Za-z0-9_-]{20,50}(?![A-Za-z0-9_.])|[A-Za-z0-9_-]{20,300}\.[0-9a-z]{2}[.]?[0-9a-z]{7,9}"
        r"|[A-Za-z0-9_-]{20,50}(?=\.(?![A-Za-z0-9])))",
    ),
    row("gitlab-token", "a GitLab token", ("glptt-",), "[A-Za-z0-9_-]{40}(?![A-Za-z0-9_])"),
    row("gitlab-token", "a GitLab token", ("glimt-",), "[A-Za-z0-9_-]{25}(?![A-Za-z0-9_])"),
    row("gitlab-token", "a GitLab token", ("gloas-",), "[A-Za-z0-9_-]{64}(?![A-Za-z0-9_])"),
    row("gitlab-token", "a GitLab token", ("glagent-",), "[A-Za-z0-9_-]{50}", tail=TOKEN),
    row("gitlab-session", "a GitLab session", ("_gitlab_session=",), "[0-9a-z]{32}"),
    row("bitbucket-token", "a Bitbucket token", ("ATBB",), "[A-Za-z0-9_=-]{24}", tail=TOKEN + "="),
    row(
        "atlassian-token", "an Atlassian token", ("ATATT3", "ATCTT3", "ATSTT3"), "[A-Za-z0-9_=-]{60}", tail=TOKEN + "="
    ),
    row("npm-token", "an npm token", ("npm_",), "[A-Za-z0-9]{36}"),
    row(
        "pypi-token",
        "a PyPI token",
        ("pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"),
        "[A-Za-z0-9_-]{70}",
        tail=TOKEN,
    ),
    row("rubygems-key", "a RubyGems key", ("rubygems_",), "[a-f0-9]{48}"),
    row("crates-token", "a crates.io token", ("cio",), "[A-Za-z0-9]{32}").replace(accept=is_mixed),
    row("nuget-key", "a NuGet key", ("oy2",), "[a-z0-9]{43}"),
    row("packagist-token", "a Packagist token", ("packagist_",), "[a-z]{3}_[a-f0-9]{40}", tail=ALNUM),
    row("clojars-token", "a Clojars token", ("CLOJARS_",), "[a-z0-9]{60}"),
    row("docker-token", "a Docker token", ("dckr_pat_", "dckr_oat_"), "[A-Za-z0-9_-]{27}", tail=TOKEN),
    row("artifactory-key", "an Artifactory key", ("AKCp",), "[A-Za-z0-9]{60}", tail=ALNUM),
    row("artifactory-key", "an Artifactory token", ("cmVmdGtuO",), "[A-Za-z0-9]{50}", tail=ALNUM),
    row("artifactory-key", "an Artifactory token", ("cmVmd",), "(?!GtuO)[A-Za-z0-9]{59}"),
    row("sonar-token", "a SonarQube token", ("sqp_", "squ_", "sqa_"), "[a-f0-9]{40}"),
    row("sourcegraph-token", "a Sourcegraph token", ("sgp_",), "(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}"),
    row("buildkite-token", "a Buildkite token", ("bkua_",), "[a-z0-9]{40}"),
    row("circleci-token", "a CircleCI token", ("CCIPAT_", "CCIPRJ_"), "[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    row("octopus-key", "an Octopus Deploy key", ("API-",), "(?=[A-Z]{0,25}[0-9])[A-Z0-9]{26,32}"),
    row("harness-token", "a Harness token", ("pat.", "sat."), r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    row("postman-key", "a Postman key", ("PMAK-",), "[a-fA-F0-9]{24}-[a-fA-F0-9]{34}"),
    row("prefect-key", "a Prefect key", ("pnu_", "pnb_"), "[A-Za-z0-9]{36}"),
    row("readme-key", "a ReadMe key", ("rdme_",), "[a-z0-9]{70}"),
    row("infracost-key", "an Infracost key", ("ico-",), "[A-Za-z0-9]{32}"),
    row("figma-token", "a Figma token", ("figd_", "figo_", "figu_"), "[A-Za-z0-9_-]{38}", tail=TOKEN),
    row("intra42-secret", "a 42 client secret", ("s-s4t2ud-", "s-s4t2af-"), "[a-f0-9]{64}"),
)

_MODELS = (
    row("anthropic-key", "an Anthropic key", ("sk-ant-",), "[A-Za-z0-9_-]{24}", tail=TOKEN),
    row("openrouter-key", "an OpenRouter key", ("sk-or-v1-",), "[a-f0-9]{64}"),
    row("langfuse-key", "a Langfuse key", ("sk-lf-",), UUID),
    row("helicone-key", "a Helicone key", ("sk-helicone-",), "[a-z0-9]{7}(?:-[a-z0-9]{7}){2,3}"),
    Rule(
        "openai-key",
        "an OpenAI key",
        ("sk-",),
        # `sk-` also begins names of classes and packages: the rest has to look random. Other vendors use it as well.
        r"(?:(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{32}|[A-Za-z0-9]{32})",
        tail=TOKEN,
        accept=is_random,
    ),
    Rule("openai-key", "an OpenAI session", ("sess-",), "[A-Za-z0-9]{40}" + END, accept=is_random),
    row("e2b-key", "an E2B key", ("e2b_",), "[a-f0-9]{40}"),
    Rule("modal-token", "a Modal token", ("as-", "ak-"), "[A-Za-z0-9]{22}" + END, accept=is_random),
    row("anyscale-key", "an Anyscale key", ("esecret_",), "[a-z0-9]{24}", tail=ALNUM),
    row("cursor-key", "a Cursor key", ("key_",), "[a-f0-9]{64}"),
    row("browserbase-key", "a Browserbase key", ("bb_live_",), "[A-Za-z0-9_-]{24}", tail=TOKEN).replace(
        accept=is_random
    ),
    row("huggingface-token", "a Hugging Face token", ("hf_", "api_org_"), "[A-Za-z0-9]{34}(?!_)").replace(
        accept=is_mixed
    ),
    row("groq-key", "a Groq key", ("gsk_",), "[A-Za-z0-9]{48}", tail=ALNUM),
    row("xai-key", "an xAI key", ("xai-",), "[A-Za-z0-9]{70}", tail=ALNUM),
    row("perplexity-key", "a Perplexity key", ("pplx-",), "[A-Za-z0-9]{40}", tail=ALNUM),
    row("replicate-token", "a Replicate token", ("r8_",), "[A-Za-z0-9]{37}"),
    row("nvidia-key", "an NVIDIA key", ("nvapi-",), "[A-Za-z0-9_-]{60}", tail=TOKEN),
    row("langsmith-key", "a LangSmith key", ("lsv2_pt_", "lsv2_sk_"), "[a-f0-9]{32}_[a-f0-9]{10}"),
    row("pinecone-key", "a Pinecone key", ("pcsk_",), "[A-Za-z0-9_]{40}", tail=TOKEN),
    row("tavily-key", "a Tavily key", ("tvly-",), "(?:dev-|prod-)?[A-Za-z0-9]{32}", tail=ALNUM),
    row("firecrawl-key", "a Firecrawl key", ("fc-",), "[a-f0-9]{32}"),
    row("cerebras-key", "a Cerebras key", ("csk-",), "[a-z0-9]{40}", tail=ALNUM),
    Rule("fireworks-key", "a Fireworks key", ("fw_",), "[A-Za-z0-9]{22,24}" + END, accept=is_random),
    row("together-key", "a Together key", ("tgp_v1_",), "[A-Za-z0-9_-]{40}", tail=TOKEN),
    Rule("voyage-key", "a Voyage key", ("pa-",), "[A-Za-z0-9_-]{43}" + END, accept=is_random),
    row("jina-key", "a Jina key", ("jina_",), "[A-Za-z0-9_-]{50}", tail=TOKEN),
    row("runpod-key", "a RunPod key", ("rpa_",), "[A-Z0-9]{40}", tail=ALNUM),
    row("elevenlabs-key", "an ElevenLabs key", ("sk_",), "[a-f0-9]{48}"),
    Rule(
        "zhipu-key",
        "a Zhipu key",
        (),
        r"(?<![A-Za-z0-9.])[a-f0-9]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9]|\.[A-Za-z0-9])",
        longest=49,
        digits=10,
        accept=is_mixed,
    ),
)

TOKENS = (*_CLOUDS, *_FORGES, *_MODELS)
