"""Forms of a contest's file: where a clone or an import goes."""

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from leaderboard.web.forms import IN_RANGE, MinuteField

ADDRESS = RegexValidator(r"^[a-z0-9]+(?:-[a-z0-9]+)*\Z", _("소문자, 숫자, -만 씁니다."))


class CloneForm(forms.Form):
    """Another contest like this one."""

    slug = forms.CharField(
        label=_("새 주소"),
        max_length=50,
        validators=[ADDRESS],
        help_text=_("/c/ 뒤에 붙습니다. 소문자, 숫자, -만. 나중에 바꿀 수 없습니다."),
    )
    opens_at = MinuteField(
        label=_("시작"),
        required=False,
        validators=IN_RANGE,
        help_text=_(
            "다른 날짜도 같은 만큼 옮깁니다. 미리 적힌 것은 같은 요일과 시각의 가까운 앞날입니다."
        ),
    )


class ImportForm(forms.Form):
    """A contest's file. `seen` is the hash of the file that was checked; a small one is `carried`
    through the page, so that it need not be chosen again."""

    file = forms.FileField(label=_("대회 파일 (ZIP)"), required=False)
    slug = forms.CharField(
        label=_("다른 주소로"),
        max_length=50,
        required=False,
        validators=[ADDRESS],
        help_text=_("적으면 새 id로 따로 만듭니다. 비워 두면 파일의 주소와 id를 그대로 씁니다."),
    )
    seen = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    carried = forms.CharField(required=False, widget=forms.HiddenInput)
