"""What the words of a question say about the question itself."""

from __future__ import annotations

__all__ = [
    "AMOUNTS",
    "ASKING",
    "AUXILIARIES",
    "BEHAVIOR_VERBS",
    "EDIT_VERBS",
    "FAULT_PHRASES",
    "FAULT_WORDS",
    "MAKING",
    "MIGRATING",
    "PLATFORMS",
    "PREPOSITIONS",
    "PROSE_WORDS",
    "STATING",
    "STOP_WORDS",
    "TYPE_WORDS",
    "WANTS",
    "WEAK_WORDS",
]

# Stop words.
STOP_WORDS = frozenset(
    """a about all also an and any are as at be because been before being between but by can could did do does doing
    done each either etc for from get gets getting given had happen happened happening happens has have having how i
    if in instead into is it its just like make makes many may me more most much must my no not now of off on one
    only or other our out over own per rather same should show so some such than that the their them then there
    these they this those through to too under until up upon us use used uses using via very was way we were what
    when where whether which while who why will with within without would you your""".split()
)
# Words that only a sentence has.
PROSE_WORDS = frozenset(
    """a an and are as at be because but by can could did do does for from had has have how i if in into is it its may
    me might my nor not of on our should so such than that the their them then there these they this those to was we
    were what when where whether which while who why will with without would you your""".split()
)
# What a direct question begins with: "when is", "what happens", "how does", "how often", "in which order", "can a".
ASKING = frozenset("what when where which who why".split())
AUXILIARIES = frozenset("are can could did do does has have is may must should was were will would".split())
AMOUNTS = frozenset("long many much often".split())
# Behind an auxiliary no direct question: messages, "could not open", and whether something is there, "do we have".
STATING = frozenset("be been not there we".split())
PREPOSITIONS = frozenset("after at before by for from in of on through to under until with".split())
# Words that name a part of a program rather than its matter; they still count a little.
WEAK_WORDS = frozenset(
    """class classes code define defined definition definitions field fields file files find function functions
    handle handled handles handling implement implementation implementations implemented implements logic method
    methods module modules object objects type types variable work works working""".split()
)
WANTS = {
    "query": frozenset({"query", "queries", "select", "sql"}),
    "test": frozenset("test tests testing tested unittest spec specs fixture fixtures mock mocks benchmark".split()),
    "example": frozenset("example examples demo demos sample samples tutorial usage".split()),
    "docs": frozenset("doc docs documentation readme changelog guide tutorial manual".split()),
    "generated": frozenset("generated protobuf".split()),
    "vendored": frozenset("vendor vendored third-party bundled".split()),
    "legacy": frozenset("legacy compat compatibility deprecated old backport".split()),
}
# What code does with such files, or what of it does so: "documentation generation" asks for no documents.
MAKING = frozenset(
    "builder builders generation generator generators parser parsers renderer renderers rendering".split()
)
# First words of a change, as in commit messages; such a question looks for places to edit.
EDIT_VERBS = frozenset(
    """account add added adding adjust adopt align allow always attempt avoid bump change check clarify
    clean cleanup consider consolidate constrain convert correct correctly dedup deduplicate defer deprecate
    disable document don dont downgrade drop enable enforce enhance ensure evict exclude exempt explicitly expose
    extend extract fix fixed fixes fixing fixup force guard handle harden hide ignore implement improve improved
    improving include increase initialize introduce keep leave let limit lower make memoize migrate modernize move
    only optimize pass persist prefer preserve prevent print propagate properly protect raise recognize
    reduce refactor reject relax remove removed removing rename renamed renaming reorder replace replaced
    replacing report require respect restore restructure retry reuse revert rewrite sanitize set show silence
    simplified simplify skip speed stop support suppress switch tighten tolerate treat tweak type unify update
    updated updating upgrade use utilize validate warn wrap""".split()
)
# Words and pairs of words of who reports a fault or says how it should be, wherever they stand: "false positive for a
# reference in a block", "small fixes of the parser".
FAULT_WORDS = frozenset(
    """better broken bug bugs fix fixed fixes fixing fixup improved improvement improvements incorrect incorrectly
    removal unnecessary unused wrong wrongly""".split()
)
FAULT_PHRASES = frozenset(
    {("false", "positive"), ("false", "positives"), ("false", "negative"), ("false", "negatives"), ("instead", "of"),
     ("no", "longer")}
)  # fmt: skip
# Words that a description of what a function does begins with, as documentation does and who asks for a function by
# its task: "parse a header", "returns the number of rows". With an "s" they are the same; those above come first.
BEHAVIOR_VERBS = frozenset(
    """accept acquire append apply assert assign attach bind build calculate call called change clear close collect
    combine compare compute configure connect construct copy count create decide decode decorate decorator define
    delete derive deserialize detect determine dispatch display download draw dump emit encode escape estimate
    evaluate execute expand export factory fetch fill filter find finish fit flatten flush format generate get given
    helper hook identify import increment initialise insert inspect instantiate invoke iterate join list load locate
    log look lookup map mark match merge normalise normalize notify obtain open order parse patch perform pick plot
    pop prepare process produce provide push put query quote read receive record redirect register release reload
    render reset resolve retrieve return returns roll run sample save scale scan schedule score search select send
    serialize shortcut shuffle shut sleep sort split start store strip substitute sum synchronize take test train
    transform translate traverse trim truncate try turn unpack unregister upload utility verify visit wait walk
    whether write yield""".split()
)
# Words that name a platform, each with the platform.
PLATFORMS = {
    **dict.fromkeys("win win32 win64 windows cygwin msys".split(), "windows"),
    **dict.fromkeys("darwin macos osx".split(), "macos"),
    **dict.fromkeys("freebsd openbsd netbsd".split(), "bsd"),
    **{name: name for name in "aix linux solaris wasm".split()},
}
# Words that ask for the steps of a migration and not for the code as it is.
MIGRATING = frozenset("migrate migrated migrates migrating migration migrations upgrade upgraded upgrades".split())
# Words that ask for a type and not for what one of its methods does.
TYPE_WORDS = frozenset(
    "class classes enum interface interfaces protocol struct structs trait traits type types".split()
)
