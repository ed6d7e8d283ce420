"""The words that checking an answer knows: numbers, units, what says nothing, what is no name of a repository."""

from __future__ import annotations

__all__ = ["BRANDS", "EVERYWHERE", "NUMBER_WORDS", "STOP_WORDS", "UNITS"]

NUMBER_WORDS = {
    "once": 1,
    "twice": 2,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "hundred": 100,
}
# A number in front of one of these is a quantity that a source must have.
UNITS = frozenset(
    """ms millisecond milliseconds s sec secs second seconds min mins minute minutes h hour hours day days week weeks
    month months year years percent percentage b byte bytes kb kib mb mib gb gib kilobytes megabytes bit bits character
    characters char chars digit digits attempt attempts retry retries time times try tries item items row rows entry
    entries request requests iteration iterations cent cents euro euros gram grams kg kilogram kilograms page pages
    round rounds token tokens line lines worker workers thread threads connection connections copy copies backup
    backups snapshot snapshots unit units piece pieces result results product products record records""".split()
)
STOP_WORDS = frozenset(
    """a about above after again all also although always an and any are as at be because been before behind being below
    between both but by can cannot could did do does doing done down during each either else every few first for from
    further get gets given gives had has have having here how however if in instead into is it its itself just kind last
    later least less like made makes making many may means might more most much must neither never next no nor not
    nothing now of off on once one only onto or other otherwise our out over own per rather same second see shall she
    should since so some still such take taken takes than that the their them then there therefore these they thing
    this those through thus to too two under unless until up upon us use used uses using very via was way we well were
    what when where whether which while who whole whose why will with within without would yet you your
    called calls call function method class module file table column field value values code define defined defines
    definition return returns returned raise raises raised handled handle handles implement implemented implements
    keep keeps kept contain contains hold holds set sets come comes goes go""".split()
)
# Names with an inner capital, or a dot, that are products and standards.
BRANDS = frozenset(
    """javascript typescript github gitlab postgresql mysql mariadb sqlite sqlalchemy graphql oauth oauth2 openid
    openapi youtube linkedin macos ios ipv4 ipv6 node.js next.js vue.js mongodb dynamodb duckdb influxdb redis rabbitmq
    websocket websockets devops postgres fastapi pytest numpy pandas pytorch tensorflow javadoc jsdoc phpunit laravel
    nuget npm intellij vscode webpack eslint restful saas paas json yaml toml html css http https tcp udp url urls uri
    uris uuid uuids utf-8 sha256 sha-256 sha1 sha512 md5 hmac pbkdf2 bcrypt base64 rfc jwt xml csv ascii unicode crud
    orm ddl dml sql api apis cli gui ui ids id todo readme kib mib gib kb mb gb fts5 wal pdf pdfs png jpeg
    ocr""".split()
)
# Words that are written as code and belong to a language or protocol, not to a repository.
EVERYWHERE = frozenset(
    """none true false null nil undefined nan self this super int str string float double bool boolean bytes char list
    dict set tuple map array vec object any void async await yield return raise throw try catch except finally if else
    elif for while with as import from def class func fn function struct enum interface trait type let const var static
    public private protected final abstract get post put patch delete head options select insert update where join
    left right inner outer on group order by having limit offset create alter drop table view index trigger primary key
    foreign references unique check default not and or in is like between exists case when then end begin commit
    rollback savepoint transaction integer text real blob varchar timestamp date datetime count sum avg min max
    coalesce values into distinct union all asc desc main print len range new error exception promise result option
    some ok err stdout stderr stdin env exit true. false. e.g i.e etc vs a.k.a""".split()
)
