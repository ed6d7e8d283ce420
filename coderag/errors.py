"""Every error that coderag raises on purpose.

CoderagError
├── RootError            a folder to read is missing, is no folder, or may not be read
│   └── CloneError           a git repository that cannot be cloned or fetched
├── QueryError           a question or a filter that cannot be answered as written
├── AccessError          what may not be asked of an index as some groups see it: to update it
├── LanguageDataError    a folder in parsers/ is wrong: a bad field, or a query its grammar refuses
├── ConversationError    a conversation that is kept in a file which cannot be used
├── SettingsError        coderag.toml, or its table in pyproject.toml, says something unknown
├── DatabaseError        a database that cannot be reached, read or understood
├── EvaluationError      questions that cannot be read or made, or measured as asked
├── GitError             git is missing, refuses a repository, or does not know a revision
├── RemoteStoreError     a store of indexes that cannot be reached, read or written
│   └── StoreDamagedError    one that holds something else than what was written
├── WorkerError          no process could be started to read the files
├── WatchError           folders that cannot be watched for changes
├── ModelError           a model that cannot be used
│   ├── EncoderError         missing, damaged, not answering, or not the one that an index was made with
│   ├── RerankerError        the same of a reranker
│   └── LanguageModelError   a language model that does not answer, refuses, or answers with nothing that can be used
└── StoredIndexError          an index on disk that cannot be used
    ├── IndexMissingError    there is none
    ├── IndexFormatError     another version wrote it
    │   └── IndexTooNewError     a newer one, whose work is not to be undone
    ├── IndexPartError       one part of an index, which answers only when it is joined with the others
    ├── IndexDamagedError    truncated, or its checksum does not match
    ├── IndexUnsafeError     a link or a special file where a file of it should be
    ├── IndexUntrustedError  it was not made by this user on this machine
    ├── IndexKeyError        the key that signs this user's indexes cannot be used
    ├── IndexLockedError     another process is writing it
    └── IndexWriteError      no space, or no permission

What is no failure, because the rest answers, is a RetrievalWarning.
"""

from __future__ import annotations

__all__ = [
    "AccessError",
    "CloneError",
    "CoderagError",
    "ConversationError",
    "DatabaseError",
    "EncoderError",
    "EvaluationError",
    "GitError",
    "IndexDamagedError",
    "IndexFormatError",
    "IndexKeyError",
    "IndexLockedError",
    "IndexMissingError",
    "IndexPartError",
    "IndexTooNewError",
    "IndexUnsafeError",
    "IndexUntrustedError",
    "IndexWriteError",
    "LanguageDataError",
    "LanguageModelError",
    "ModelError",
    "QueryError",
    "RemoteStoreError",
    "RerankerError",
    "RetrievalWarning",
    "RootError",
    "SettingsError",
    "StoreDamagedError",
    "StoredIndexError",
    "WatchError",
    "WorkerError",
]


class CoderagError(Exception):
    """The base of every error raised on purpose; its text says what, where and what to do."""


class RootError(CoderagError):
    """A folder to read is missing, is no folder, or may not be read."""


class CloneError(RootError):
    """A git repository that cannot be cloned or fetched; the text never holds credentials."""


class QueryError(CoderagError):
    """A question or a filter that cannot be answered as written."""


class AccessError(CoderagError):
    """What only the whole index can do, asked of one that shows what some groups may see."""


class LanguageDataError(CoderagError):
    """A folder in parsers/ is wrong: a bad field, or a query that its grammar refuses."""


class SettingsError(CoderagError):
    """Settings, in coderag.toml or pyproject.toml, that say something unknown."""


class DatabaseError(CoderagError):
    """A database that cannot be reached, read or understood; the text never holds a password."""


class EvaluationError(CoderagError):
    """Questions that cannot be read or made, or measured as asked."""


class GitError(CoderagError):
    """What git cannot do: it is missing, refuses a repository, or does not know a revision."""


class RemoteStoreError(CoderagError):
    """A store of indexes that cannot be reached, read or written."""


class StoreDamagedError(RemoteStoreError):
    """A store of indexes that holds something else than what was written."""


class WorkerError(CoderagError):
    """No process could be started to read the files."""


class WatchError(CoderagError):
    """Folders that the system cannot watch, or no more of."""


class ModelError(CoderagError):
    """A model that cannot be used."""


class EncoderError(ModelError):
    """An encoder that is missing, damaged, does not answer, or is not the one that an index was made with."""


class RerankerError(ModelError):
    """A reranker that is missing, damaged, or does not answer."""


class LanguageModelError(ModelError):
    """A language model that does not answer, refuses to, or answers with nothing that can be used."""


class ConversationError(CoderagError):
    """A conversation that is kept in a file which cannot be used; the file is left as it is."""


class RetrievalWarning(UserWarning):
    """A part of the search that was left out, and why; the rest answered."""


class StoredIndexError(CoderagError):
    """An index on disk that cannot be used."""


class IndexMissingError(StoredIndexError):
    """There is no index where one was asked for."""


class IndexFormatError(StoredIndexError):
    """An index that another version of coderag wrote."""


class IndexTooNewError(IndexFormatError):
    """An index that a newer version of coderag wrote; it is not replaced unless that is asked for."""


class IndexPartError(StoredIndexError):
    """A part of an index where a whole one was asked for, or parts that do not belong together."""


class IndexDamagedError(StoredIndexError):
    """An index file that is truncated or whose checksum does not match."""


class IndexUnsafeError(StoredIndexError):
    """A link or a special file where an index has a file or folder; nothing is read, written or removed there."""


class IndexUntrustedError(StoredIndexError):
    """An index that carries no signature of this user: nothing of it is believed."""


class IndexKeyError(StoredIndexError):
    """The key that signs the indexes of this user cannot be read or made, or others could know it."""


class IndexLockedError(StoredIndexError):
    """An index that another process is writing."""


class IndexWriteError(StoredIndexError):
    """An index that could not be written: no space, or no permission."""
