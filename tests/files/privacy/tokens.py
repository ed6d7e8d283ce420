"""Keys that look real and open nothing, made when they are needed so that no scanner finds one here."""

from __future__ import annotations

import base64
import random
import re
import string

__all__ = ["TOKENS", "made", "pem"]

ALPHABETS = {
    "w": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "l": string.ascii_letters,
    "n": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "v": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "d": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
    "q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "c": "bcdfghjklmnpqrstvwxz",
}
HOLE = re.compile(r"<(\w)(\d+)>")

# What a key is called, and how one is made: <w36> is 36 letters and digits, the other alphabets are above.
TOKENS = [
    *(("AWS access key", f"{kind}<v16>") for kind in ("AKIA", "ASIA", "ABIA", "ACCA")),
    ("AWS Bedrock key", "ABSK<w120>"),
    ("Google API key", "AIza<w35>"),
    ("Google OAuth secret", "GOCSPX-<w28>"),
    ("Google OAuth token", "ya29.<w120>"),
    ("Azure client secret", "<w3>8Q~<w34>"),
    ("Azure service key", "<w52>JQQJ99<w28>"),
    *(("Azure service key", f"<w76>+{kind}<w5>A==") for kind in ("ASt", "ABa", "ARm", "AMC")),
    ("Azure service key", "<w42>AzSeB<w5>"),
    ("Azure service key", "<w44>AzFu<w5>Q=="),
    *(("GitHub token", f"gh{kind}_<w36>") for kind in "pousr"),
    ("GitHub token", "github_pat_<w22>_<w59>"),
    *(("GitLab token", f"gl{kind}-<w20>") for kind in ("pat", "dt", "rt", "ft", "ptt", "soat", "imt", "cbt", "ffct")),
    ("GitLab token", "glptt-<h40>"),
    ("GitLab token", "glimt-<n25>"),
    ("GitLab token", "glagent-<w50>"),
    ("GitLab token", "gloas-<h64>"),
    ("GitLab token", "GR1348941<w20>"),
    *(("Bitbucket or Atlassian token", f"{kind}<w180>") for kind in ("ATATT3", "ATCTT3")),
    ("Bitbucket or Atlassian token", "ATBB<w32>"),
    *(("Slack token", f"xox{kind}-<d11>-<d12>-<w24>") for kind in "bpaorse"),
    ("Slack token", "xoxe.xoxp-1-<w166>"),
    ("Slack token", "xapp-1-<u11>-<d13>-<h64>"),
    ("Discord token", "MTA4<w20>.<w6>.<w27>"),
    *(("Stripe key", f"{kind}_{mode}_<w24>") for kind in ("sk", "rk") for mode in ("live", "test", "prod")),
    ("Stripe webhook secret", "whsec_<w32>"),
    ("Square token", "sq0atp-<w22>"),
    ("Square token", "sq0csp-<w43>"),
    *(("Shopify token", f"shp{kind}_<h32>") for kind in ("at", "ca", "pa", "ss")),
    *(("Facebook token", f"EAA{kind}<w160>") for kind in "CMGB"),
    ("SendGrid key", "SG.<w22>.<w43>"),
    ("Mailgun key", "key-<h32>"),
    ("Mailchimp key", "<h32>-us12"),
    *(("Brevo key", f"{kind}-<h64>-<w16>") for kind in ("xkeysib", "xsmtpsib")),
    ("Twilio key", "SK<h32>"),
    *(("OpenAI key", f"sk-{kind}-<w48>") for kind in ("proj", "svcacct", "admin", "None")),
    ("Anthropic key", "sk-ant-api03-<w93>AA"),
    ("OpenRouter key", "sk-or-v1-<h64>"),
    ("model provider key", "sk-<w20>T3BlbkFJ<w20>"),
    ("model provider key", "gsk_<w52>"),
    ("model provider key", "xai-<w80>"),
    ("model provider key", "pplx-<w48>"),
    ("model provider key", "r8_<w37>"),
    ("Hugging Face token", "hf_<l34>"),
    ("Hugging Face token", "api_org_<l34>"),
    ("npm token", "npm_<w36>"),
    ("PyPI token", "pypi-AgEIcHlwaS5vcmc<w100>"),
    ("package registry token", "rubygems_<h48>"),
    ("package registry token", "oy2<n43>"),
    ("package registry token", "cio<w32>"),
    ("package registry token", "CLOJARS_<n60>"),
    *(("Docker token", f"dckr_{kind}_<w27>") for kind in ("pat", "oat")),
    ("Artifactory token", "AKCp<w69>"),
    ("Artifactory token", "cmVmdGtu<w56>"),
    *(("cloud provider token", f"{kind}_v1_<h64>") for kind in ("dop", "doo", "dor")),
    ("cloud provider token", "HRKU-AA<w58>"),
    ("cloud provider token", "fo1_<w43>"),
    *(("cloud provider token", f"{kind}_<w120>") for kind in ("fm1a", "fm1r", "fm2")),
    ("cloud provider token", "nfp_<w36>"),
    ("cloud provider token", "sbp_<h40>"),
    ("cloud provider token", "sb_secret_<w31>"),
    *(("cloud provider token", f"pscale_{kind}_<w43>") for kind in ("tkn", "oauth", "pw")),
    ("cloud provider token", "tk-us-<w48>"),
    ("cloud provider token", "LTAI<w20>"),
    ("cloud provider token", "AKID<w32>"),
    ("cloud provider token", "AQVN<w36>"),
    ("cloud provider token", "v1.0-<h24>-<h146>"),
    ("Databricks token", "dapi<h32>"),
    *(("Vault token", f"{kind}.<w95>") for kind in ("hvs", "hvb", "hvr")),
    ("Terraform token", "<w14>.atlasv1.<w64>"),
    *(("infrastructure token", f"dp.{kind}.<w43>") for kind in ("pt", "st", "ct", "sa")),
    ("infrastructure token", "pul-<h40>"),
    ("infrastructure token", "sha256~<w43>"),
    ("infrastructure token", "tskey-auth-<w17>-<w32>"),
    ("infrastructure token", "ops_eyJ<w400>"),
    ("infrastructure token", "pnu_<w36>"),
    ("infrastructure token", "API-<u26>"),
    ("infrastructure token", "ico-<w32>"),
    ("monitoring token", "glsa_<w32>_<h8>"),
    ("monitoring token", "glc_eyJ<w100>"),
    ("monitoring token", "eyJrIjoi<w80>"),
    ("monitoring token", "NRAK-<u27>"),
    ("monitoring token", "NRII-<w32>"),
    ("monitoring token", "NRJS-<h19>"),
    ("monitoring token", "sntryu_<h64>"),
    ("monitoring token", "sntrys_eyJ<w120>"),
    ("monitoring token", "dt0c01.<u24>.<u64>"),
    ("developer service token", "PMAK-<h24>-<h34>"),
    ("developer service token", "ntn_<d11><w35>"),
    ("developer service token", "lin_api_<w40>"),
    ("developer service token", "lin_oauth_<h64>"),
    ("developer service token", "figd_<w40>"),
    *(("developer service token", f"sq{kind}_<h40>") for kind in "upa"),
    ("developer service token", "sgp_<h40>"),
    ("developer service token", "bkua_<h40>"),
    ("developer service token", "CFPAT-<w43>"),
    ("developer service token", "sdk-<h8>-<h4>-<h4>-<h4>-<h12>"),
    ("developer service token", "api-<h8>-<h4>-<h4>-<h4>-<h12>"),
    ("developer service token", "tfp_<w44>"),
    ("developer service token", "sl.<w140>"),
    ("developer service token", "rdme_<n70>"),
    ("developer service token", "p8e-<w32>"),
    ("developer service token", "EZAK<w54>"),
    ("developer service token", "EZTK<w54>"),
    *(("developer service token", f"shippo_{mode}_<h40>") for mode in ("live", "test")),
    ("MaxMind key", "<w6>_<w29>_mmk"),
    ("Mapbox secret token", "sk.eyJ<w70>.<w22>"),
    ("JSON web token", "eyJhbGciOiJIUzI1NiJ9.eyJ<w60>.<w43>"),
    ("age key", "AGE-SECRET-KEY-1<q58>"),
]


def made(template: str, seed: int = 1) -> str:
    """Return a template with its holes filled at random, but the same for the same seed."""
    chance = random.Random(f"{template}{seed}")

    def filled(hole: re.Match[str]) -> str:
        return "".join(chance.choices(ALPHABETS[hole[1]], k=int(hole[2])))

    return HOLE.sub(filled, template)


def pem(label: str, *, size: int = 600, seed: int = 1) -> list[str]:
    """Return the lines of a file in PEM (RFC 7468) with so many bytes that say nothing."""
    body = base64.b64encode(b"0\x82" + random.Random(seed).randbytes(size)).decode()
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return [f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"]
