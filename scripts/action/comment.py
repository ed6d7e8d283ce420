#!/usr/bin/env python3
"""Post what a change touches as one comment on a pull request, or update the one that is there.

The comment is found again by a marker and its author. A token that may not write, as that of a pull request from a
fork, is told and is no failure. Everything comes from the environment; see action.yml.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

MARKER = "<!-- coderag impact -->"
PAGE = 100  # comments of a request, the most that there may be
MAX_PAGES = 100
SECONDS = 30.0
NO_PERMISSION = frozenset({401, 403, 404})  # what GitHub answers a token that may not write, or not even see


def main() -> int:
    """Post or update the comment."""
    repository, number = quote(os.environ["REPOSITORY"], safe="/"), int(os.environ["PULL_NUMBER"])
    comments = f"/repos/{repository}/issues/{number}/comments"
    body = {"body": f"{MARKER}\n{Path(os.environ['MARKDOWN']).read_text(encoding='utf-8')}"}
    try:
        known = next((comment for comment in _comments(comments) if _is_ours(comment)), None)
        if known is not None:
            _request("PATCH", f"/repos/{repository}/issues/comments/{int(known['id'])}", body)
            print("updated the comment")
        elif os.environ["CHANGED"] == "true":
            _request("POST", comments, body)
            print("posted a comment")
        else:
            print("nothing changed that is worth a comment")
    except urllib.error.HTTPError as error:
        if error.code in NO_PERMISSION:
            print(
                f"::notice::no comment: the token may not write to the pull request (HTTP {error.code}), as that of "
                "one from a fork; the summary of this job has the result"
            )
            return 0
        print(f"::error::the comment was refused: HTTP {error.code}")
        return 1
    except (urllib.error.URLError, OSError) as error:
        print(f"::error::the API cannot be reached: {error}")
        return 1
    return 0


def _comments(path: str) -> Iterator[dict[str, Any]]:
    """Yield the comments of a pull request, the oldest first."""
    for page in range(1, MAX_PAGES + 1):
        found = _request("GET", f"{path}?per_page={PAGE}&page={page}")
        yield from found
        if len(found) < PAGE:
            return


def _is_ours(comment: dict[str, Any]) -> bool:
    """Tell whether a comment is one of this action; anybody may write the marker, so the author counts as well."""
    author = (comment.get("user") or {}).get("login")
    return author == os.environ["COMMENT_AUTHOR"] and (comment.get("body") or "").startswith(MARKER)


def _request(method: str, path: str, body: dict[str, str] | None = None) -> Any:
    request = urllib.request.Request(
        os.environ["API_URL"].rstrip("/") + path,
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['TOKEN']}",
            "Content-Type": "application/json",
            "User-Agent": "coderag-impact",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
