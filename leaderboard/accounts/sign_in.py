"""How often a password may be tried, so that guessing is slow and nobody locks anybody out.

A stranger who guesses fills the counts of his own address and, from many addresses, those of the
account. The owner passes both on a device that signed in before: it is counted by itself. Names
that nobody has are counted like all others, so a limit tells nothing about who exists.
"""

import ipaddress
import unicodedata
from datetime import timedelta
from math import ceil

from allauth.account.adapter import get_adapter
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts import devices
from leaderboard.accounts.rate_limits import Limit, Use

MINUTE = timedelta(minutes=1)

# Wrong passwords.
BY_DEVICE = Limit("password.device", 10, 5 * MINUTE)
BY_ACCOUNT_AND_ADDRESS = Limit("password.account+address", 5, 5 * MINUTE)
BY_ACCOUNT = Limit("password.account", 30, 15 * MINUTE)
# One password tried on many names. A lecture hall shares an address: 200 people mistype thrice.
BY_ADDRESS = Limit("password.address", 600, 10 * MINUTE)
# Right ones too: each costs a slow hash.
SIGN_INS = Limit("sign_in.address", 300, MINUTE)
SIGN_UPS = Limit("sign_up.address", 200, MINUTE)

WAIT = "wait"  # the code of the error that says so
TOO_MANY_TRIES = _(
    "로그인을 너무 여러 번 시도했습니다. %(minutes)s분 뒤에 다시 할 수 있습니다. "
    "전에 이 계정으로 로그인한 적이 있는 기기에서는 지금도 로그인할 수 있고, "
    "관리자에게 새 비밀번호 링크를 부탁할 수도 있습니다."
)
TOO_MANY_ACCOUNTS = _(
    "지금 이 네트워크에서 너무 많은 계정을 만들고 있습니다. %(minutes)s분 뒤에 다시 할 수 있습니다."
)


def tries(request: HttpRequest, name: str) -> tuple[Use, ...]:
    """What one try of a password for `name` counts as, until it turns out right."""
    account, address = folded(name), address_of(request)
    own = {folded(username): user for username, user in devices.known(request).items()}
    if account in own:
        return (Use(BY_DEVICE, f"{own[account].pk} {devices.number_of(request)}"),)
    return (
        Use(BY_ACCOUNT_AND_ADDRESS, f"{account} {address}"),
        Use(BY_ACCOUNT, account),
        Use(BY_ADDRESS, address),
    )


def folded(name: str) -> str:
    """One form of all spellings that may find the same account in one database or another."""
    return unicodedata.normalize("NFKC", name.strip()).upper().casefold()


def address_of(request: HttpRequest) -> str:
    """The address that a request is counted under; of IPv6 the network that one customer gets."""
    typed: str = get_adapter().get_client_ip(request)
    address = ipaddress.ip_address(typed)
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address), 64), strict=False))
    return str(address)


def wait(seconds: int, text: str) -> ValidationError:
    """A form's error that says in how many minutes to come back; `text` has a place for them."""
    params = {"seconds": seconds, "minutes": ceil(seconds / 60)}
    return ValidationError(text, code=WAIT, params=params)
