"""What a statement may give as a value: numbers, units, and words of which one excludes the others (F20).

One table serves all languages: a word means the same class wherever it stands.
"""

from __future__ import annotations

from engram.proposals.languages.tables import word_set

__all__ = ["PLACES", "TIERS", "UNITS", "class_of", "number_of", "spelled_number"]

# Each line is one class; words with ``_`` stand for words with a blank.
_CLASSES: dict[str, frozenset[str]] = {
    name: word_set(text)
    for name, text in {
        "day": """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
            fridays saturdays sundays weekday weekdays weekend weekends lunes martes miércoles miercoles jueves
            viernes sábado sabado domingo sábados sabados domingos 周一 周二 周三 周四 周五 周六 周日 周天 周末
            工作日 星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 礼拜一 礼拜二 礼拜三 礼拜四 礼拜五
            thứ_2 thứ_3 thứ_4 thứ_5 thứ_6 thứ_7 chủ_nhật 週一 週二 週三 週四 週五 週六 週日 每周一 每周二 每周三
            每周四 每周五 每周六 每周日""",
        "month": """january february march april june july august september october november december enero febrero
            marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre""",
        "daytime": """morning mornings afternoon afternoons evening evenings night nights noon midnight mañana
            mañanas tarde tardes noche noches mediodía medianoche 早上 上午 中午 下午 晚上 凌晨 夜间""",
        "colour": """red green blue yellow orange purple black white grey gray brown pink cyan magenta rojo verde
            azul amarillo naranja morado negro blanco gris marrón rosa roja negra blanca 红色 绿色 蓝色 黄色 橙色
            紫色 黑色 白色 灰色 粉色 đỏ xanh vàng đen trắng""",
        "language": """english spanish french german italian portuguese chinese japanese korean russian vietnamese
            dutch polish mandarin inglés ingles español espanol francés frances alemán aleman italiano portugués
            portugues chino japonés japones ruso catalán catalan castellano 英文 英语 中文 汉语 西班牙语 西班牙文
            法语 德语 日语 日文 韩语 俄语 tiếng_anh tiếng_việt tiếng_nhật""",
        "indentation": "tabs tab spaces tabulaciones tabuladores tabulación espacios 制表符 空格 tab键",
        "quotes": "single double simples dobles 单引号 双引号",
        "naming": """camelcase snake_case kebab-case pascalcase screaming_snake_case camel_case kebab_case pascal_case
            snake-case camel-case 驼峰 下划线 驼峰命名 蛇形命名 小驼峰 大驼峰""",
        "packages": "npm pnpm yarn bun",
        "jvm builds": "maven gradle sbt",
        "python packages": "pip pipenv poetry uv conda pdm pip-tools",
        "js tests": "jest vitest mocha jasmine ava",
        "browser tests": "cypress playwright selenium puppeteer webdriverio",
        "python tests": "pytest unittest nose",
        "bundler": "webpack vite rollup esbuild parcel turbopack rspack",
        "formatter": "prettier biome black yapf autopep8 gofmt rustfmt",
        "linter": "eslint tslint ruff flake8 pylint oxlint standardjs",
        "types": "mypy pyright pytype",
        "relational database": "postgres postgresql mysql mariadb sqlite oracle mssql cockroachdb db2",
        "document database": "mongodb couchdb dynamodb firestore cassandra",
        "cache": "redis memcached valkey dragonfly",
        "broker": "kafka rabbitmq nats pulsar sqs activemq",
        "cloud": "aws azure gcp heroku vercel netlify fly.io render digitalocean hetzner cloudflare",
        "continuous integration": "jenkins circleci travis gitlab buildkite teamcity drone",
        "container": "docker podman containerd",
        "provisioning": "terraform pulumi cloudformation opentofu",
        "configuration": "ansible chef puppet saltstack",
        "javascript": "react vue svelte angular solid preact ember",
        "state": "redux zustand mobx jotai recoil pinia vuex",
        "http": "axios fetch got ky superagent",
        "python web": "django flask fastapi starlette tornado pyramid",
        "node web": "express koa fastify hapi nestjs",
        "orm": "sqlalchemy prisma typeorm sequelize drizzle hibernate peewee",
        "dates": "moment dayjs luxon date-fns temporal momentjs",
        "css": "tailwind bootstrap bulma sass less styled-components emotion",
        "chat": "slack teams discord mattermost telegram",
        "tracker": "jira linear asana trello youtrack",
        "monitoring": "grafana datadog newrelic prometheus sentry kibana",
        "secrets": "vault doppler 1password sops keepass bitwarden",
        "api": "rest graphql grpc soap trpc",
        "format": """json yaml toml xml csv tsv ini protobuf avro parquet msgpack markdown asciidoc restructuredtext
            html rst latex pdf docx xlsx odt ods epub excel""",
        "image": "png jpg jpeg gif webp svg avif bmp tiff heic",
        "web server": "nginx apache caddy traefik haproxy envoy",
        "search": "elasticsearch opensearch solr meilisearch algolia typesense",
        "payment": "stripe paypal adyen braintree redsys alipay",
        "mail": "sendgrid mailgun postmark ses mailchimp",
        "version control": "git mercurial svn perforce",
        "branch": "main master trunk develop",
        "merge": "squash rebase",
        "money": """cents dollars euros pounds yen céntimos centimos dólares dolares pesos cent dollar euro eur
            usd gbp jpy cny 美元 欧元 人民币 日元 美分 分 元""",
        "clock": "utc gmt zulu cet cest est edt pst pdt cst cdt mst mdt bst eet eest jst kst aest",
        "encoding": "utf-8 utf-16 latin-1 ascii gbk iso-8859-1 utf8",
        "hash": "md5 sha1 sha-1 sha256 sha-256 bcrypt argon2 scrypt",
        "number type": "integers floats decimals integer float decimal enteros flotantes decimales 整数 浮点数 小数",
        "licence": "mit apache gpl bsd mpl agpl apache-2.0 gpl-3.0",
        "frequency": """daily weekly monthly hourly yearly nightly quarterly diariamente semanalmente mensualmente
            anualmente 每天 每周 每月 每年 每小时 每日""",
        "ends": "lf crlf",
        "shell": "bash zsh fish powershell sh",
        "editor": "vim emacs vscode neovim sublime",
        "systems": "linux windows macos ubuntu debian alpine fedora",
        "case": "uppercase lowercase mayúsculas minúsculas 大写 小写",
    }.items()
}  # fmt: skip

# Values that name a part of the world that a statement is about, and never what was chosen in it.
TIERS = word_set(
    """staging production prod dev development test testing preview sandbox qa ci preproduction pre-production
    producción produccion desarrollo pruebas preproducción 生产环境 测试环境 开发环境 预发环境 线上 线下 frontend
    backend 前端 后端"""
)

# Parts of a house and sides of the world: where somebody is at one of them, and at no other.
PLACES = word_set(
    """kitchen lobby hall canteen cafeteria library lounge basement garage attic garden terrace yard warehouse hangar
    office room lot wing north south east west upstairs downstairs cocina vestíbulo vestibulo comedor cantina
    cafetería cafeteria biblioteca sótano sotano garaje ático atico jardín jardin terraza patio almacén almacen
    hangar oficina sala norte sur este oeste"""
)

_CLASS_OF = {word: name for name, words in _CLASSES.items() for word in words}
# Areas of the names of time zones, such as Europe/Madrid.
_ZONE_AREAS = frozenset(
    ("africa", "america", "antarctica", "arctic", "asia", "atlantic", "australia", "europe", "indian", "pacific")
)

UNITS = word_set(
    """s sec secs second seconds ms millisecond milliseconds µs us ns m min mins minute minutes h hr hrs hour
    hours day days week weeks month months year years time times attempt attempts retry retries % percent b kb mb
    gb tb kib mib gib byte bytes kbps mbps px pt rem em pixel pixels point points character characters char chars
    column columns line lines row rows item items entry entries page pages request requests rps connection
    connections worker workers thread threads replica replicas node nodes instance instances core cores cpu cpus
    person people reviewer reviewers approval approvals review reviews user users seat seats ton tons tonne tonnes
    kg g km m² mm cm metre metres meter meters mile miles degree degrees euro euros dollar dollars cent cents usd
    eur gbp € $ £ copy copies backup backups version versions space spaces tab tabs level levels branch branches
    commit commits file files test tests step steps digit digits word words token tokens decimal decimals place
    places x k am pm o'clock sprint sprints story hop hops shard shards partition partitions segundo segundos
    minuto minutos hora horas día días dia dias semana semanas mes meses año años vez veces intento intentos
    reintento reintentos carácter caracteres caracter columna columnas línea líneas linea lineas fila filas
    elemento elementos página páginas petición peticiones conexión conexiones hilo hilos réplica réplicas replicas
    nodo nodos instancia instancias núcleo núcleos persona personas revisor revisora revisores aprobación
    aprobaciones usuario usuarios tonelada toneladas kilo kilos metro metros grado grados céntimo céntimos copia
    copias espacio espacios nivel niveles rama ramas archivo archivos fichero ficheros prueba pruebas paso pasos
    dígito dígitos palabra palabras decimales 万 亿 次 秒 秒钟 毫秒 分钟 分 小时 天 日 周 个星期 星期 个月 月 年 人 名
    位 个人 条 行 列 块 元 美元 欧元 字节 字符 吨 公斤 米 公里 倍 份 台 副本 个副本 个 个空格 空格 点 点钟 版 页
    项 张 件 层缓存 线程 节点 个节点 个分支 请求 度 字 步 轮 遍 票 秒鐘 分鐘 小時 個 個月 條 頁 張 噸 個人 端口
    号端口 把 杯 瓶 盒 箱 袋 辆 双 碗 盘 片 根 颗 枚 棵 罐 桶 捆 束 勺 粒 艘 匹
    个字符 位审核人 位审批人 个审核人 个工作日 lần giây phút giờ ngày tuần tháng năm người dòng byte
    secondes sekunden minuten stunden tage tagen jours jour heures heure fois"""
)

_NUMBER_WORDS = {
    word: str(value)
    for value, words in enumerate(
        (
            "zero cero", "one uno", "two dos 两 二 兩 hai", "three tres 三 ba", "four cuatro 四 bốn",
            "five cinco 五", "six seis 六 sáu", "seven siete 七 bảy", "eight ocho 八 tám", "nine nueve 九 chín",
            "ten diez 十 mười", "eleven once 十一", "twelve doce 十二", "thirteen trece 十三", "fourteen catorce 十四",
            "fifteen quince 十五", "sixteen dieciséis 十六", "seventeen diecisiete 十七", "eighteen dieciocho 十八",
            "nineteen diecinueve 十九", "twenty veinte 二十",
        )
    )
    for word in words.split()
} | {"thirty": "30", "treinta": "30", "三十": "30", "forty": "40", "cuarenta": "40", "四十": "40", "fifty": "50",
     "cincuenta": "50", "五十": "50", "sixty": "60", "sesenta": "60", "六十": "60", "ninety": "90", "noventa": "90",
     "seventy": "70", "setenta": "70", "七十": "70",
     "eighty": "80", "ochenta": "80", "八十": "80",
     "九十": "90", "hundred": "100", "cien": "100", "一百": "100", "百": "100", "thousand": "1000", "mil": "1000",
     "千": "1000", "一千": "1000", "once": "11", "twice": "2", "thrice": "3", "一": "1", "half": "0.5",
     "dozen": "12", "docena": "12"}  # fmt: skip
_NUMBER_WORDS["once"] = "1"
# In Spanish 11, and an order: ten cuidado.
_NOT_ENGLISH = {"once": "11", "ten": ""}
_CURRENCIES = "$€£¥"
_INSIDE = frozenset(".,:/-")


def class_of(word: str) -> str:
    """Return the class that a folded word belongs to, ``""`` for none."""
    known = _CLASS_OF.get(word, "")
    return "clock" if not known and _is_zone(word) else known


def _is_zone(word: str) -> bool:
    """Say whether a word names a time zone by its place, or by its distance from UTC."""
    area, slash, place = word.partition("/")
    if slash:
        return area in _ZONE_AREAS and place.replace("_", "").replace("-", "").replace("/", "").isalpha()
    return word[:3] in {"utc", "gmt"} and word[3:4] in {"+", "-"} and word[4:5].isdecimal()


def spelled_number(word: str, language: str = "") -> str:
    """Return the number that a word such as ``three`` or ``三`` spells, ``""`` for another word.

    ``language`` is a code, for words that are numbers in one language only.
    """
    if language == "es" and word in _NOT_ENGLISH:
        return _NOT_ENGLISH[word]
    known = _NUMBER_WORDS.get(word, "")
    if known or not word.isalpha():
        tens, dash, ones = word.partition("-")
        return known or (_sum(tens, ones) if dash else "")
    # veintidós, written as one word
    return _sum("veinte", _plain(word.removeprefix("veinti"))) if word.startswith("veinti") else ""


def _plain(word: str) -> str:
    return word.replace("ó", "o").replace("é", "e").replace("ú", "u")


def _sum(tens: str, ones: str) -> str:
    """Return the number of two words, such as ``twenty`` and ``five``; ``""`` where they are none."""
    first, second = _NUMBER_WORDS.get(tens, ""), _NUMBER_WORDS.get(ones, "")
    fits = first.endswith("0") and len(first) == 2 and len(second) == 1 and second != "0"
    return first[0] + second if fits else ""


def number_of(word: str) -> tuple[str, str] | None:
    """Return value and unit of a word that is a number, such as ``3``, ``v2``, ``30s``, ``16:00``, ``1,000`` or ``€5``.

    The value is in one spelling for one number; the unit is ``""`` where the word holds none.
    """
    body = word.strip(_CURRENCIES + "~+≥≤<>=±")
    unit = "".join(char for char in word if char in _CURRENCIES)
    if body[:1] == "v" and body[1:2].isdecimal():
        body = body[1:]
    if not body[:1].isdecimal():
        return None
    end = 1
    while end < len(body) and (body[end].isdecimal() or (body[end] in _INSIDE and body[end + 1 : end + 2].isdecimal())):
        end += 1
    rest = body[end:]
    if rest and rest not in UNITS and rest not in {"+", ".x"}:
        return None
    value = body[:end]
    groups = value.split(",")
    if len(groups) > 1 and all(len(group) == 3 for group in groups[1:]):
        value = "".join(groups)
    return value, unit or rest
