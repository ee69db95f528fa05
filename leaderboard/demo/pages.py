"""What the two demo contests say about themselves, in Markdown, Korean first."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class ContestPages:
    """The words of one contest; the formula is not among them, settings print it."""

    slug: str
    title_ko: str
    title_en: str
    introduction_ko: str
    introduction_en: str
    rules_ko: str
    rules_en: str


RUNNING_SLUG = "daily-dialogue"
FINISHED_SLUG = "short-calls"

_RULES_KO = """\
### 제출

- 한 팀은 하루에 12회까지 제출할 수 있습니다. 횟수는 매일 0시(한국 시간)에 다시 채워집니다.
- 형식 검사에서 걸린 파일은 제출로 세지 않습니다. 제출하기 전에 몇 번이든 검사해 볼 수 있습니다.
- 모든 대화에 요약을 하나씩 적어야 하며, 빈 요약은 제출할 수 없습니다.
- 대회 기간에는 Public 점수만 보입니다. 최종 순위는 대회가 끝난 뒤 Private 점수로 정합니다.

### 외부 데이터와 모델

- 누구나 구할 수 있고 이용 조건이 허락하는 외부 데이터와 공개된 사전 학습 모델은 사용할 수 있습니다.
- 사용한 데이터와 모델의 이름과 출처를 제출의 메모에 밝혀 주세요.
- 평가용 대화의 정답 요약이 들어 있거나 그것을 알아낼 수 있는 자료는 사용할 수 없습니다.
- 평가용 대화를 학습에 사용할 수 없습니다.

### 직접 작성 금지

- 평가용 대화를 사람이 읽고 요약을 쓰거나 고쳐서 제출할 수 없습니다.
- 모든 요약은 같은 프로그램이 같은 방법으로 만들어야 합니다. 문장 부호나 공백을 고치는 후처리도
  프로그램으로 모든 대화에 똑같이 적용해 주세요.

### 팀과 공정성

- 한 사람은 한 계정으로 한 팀에만 참가합니다.
- 팀 밖의 사람과 코드나 예측 결과를 몰래 주고받을 수 없습니다. 모두가 볼 수 있게 공개하는
  것은 환영합니다.
- 점수를 되풀이해 비교하면서 정답을 추측하거나 채점 서버를 공격하는 행위는 금지합니다.
- 주최자가 요청하면 결과를 다시 만들 수 있는 코드와 설명을 제출해야 합니다.
- 규칙을 어긴 팀은 순위에서 빠질 수 있습니다. 잘 모르겠으면 먼저 주최자에게 물어봐 주세요.
"""

_RULES_EN = """\
### Submitting

- A team may submit up to 12 times a day. The count starts again every day at 00:00 Korean time.
- A file that fails the format check is not counted. You may check a file as often as you like
  before you submit it.
- Every dialogue needs one summary, and no summary may be empty.
- Only the public score is shown while the contest runs. The final ranking uses the private score
  after it has closed.

### External data and models

- You may use external data that anyone can obtain and whose terms allow it, and published
  pre-trained models.
- Please name the data and models you used, with their source, in your submission's note.
- Material that contains the reference summaries of the test dialogues, or from which they can be
  worked out, is not allowed.
- You may not train on the test dialogues.

### No manual labelling

- Nobody may read the test dialogues and write or correct summaries by hand.
- All summaries have to come from the same program, made in the same way. Post-processing such as
  fixing punctuation or spaces has to be done by a program, alike for every dialogue.

### Teams and fairness

- One person takes part with one account, in one team.
- Code and predictions may not be passed privately between teams. Sharing them where
  everyone can see them is welcome.
- Guessing the references by comparing scores again and again, and attacking the scoring server,
  are forbidden.
- On request a team hands in the code and the explanation needed to make its result again.
- A team that breaks the rules may be removed from the ranking. If in doubt, ask the organizer.
"""

_DAILY_KO = """\
학교 생활, 직장, 치료, 쇼핑, 여가, 여행처럼 날마다 나누는 대화를 읽고 한두 문장으로 요약합니다.

### 무엇을 하나요?

대화에는 두 사람이 나옵니다. 이름이 나오지 않는 사람은 `#Person1#`, `#Person2#`로 적혀 있습니다.
누가 무엇을 원했고, 무엇을 정했으며, 왜 그렇게 했는지가 드러나도록 짧게 요약해 주세요.
대화에 없는 내용을 지어내지 않는 것도 중요합니다.

### 정답이 셋인 까닭

같은 대화를 읽어도 사람마다 중요하게 보는 것이 다릅니다. 그래서 대화마다 서로 다른 눈으로 쓴
정답 요약이 세 개씩 있고, 제출한 요약을 셋과 모두 비교합니다. 세 정답끼리도 서로 다르므로
만점은 나오기 어렵습니다.

### 데이터

- 평가용 대화 40개: 20개는 Public, 20개는 Private 점수에 쓰입니다. 어느 대화가 어느 쪽인지는
  공개하지 않습니다.
- 개발용 대화 10개: 정답 요약 세 개와 함께 공개합니다. 마음껏 읽고 분석해도
  되고, 점수를 직접 계산해 보아도 됩니다.

대화와 요약은 모두 이 대회를 위해 새로 쓴 것이며, 나오는 사람과 가게는 실제와 관계가 없습니다.

### 시작하기

1. 데이터 탭에서 대화를 내려받습니다.
2. `fname`과 `summary` 두 열이 있는 CSV 파일을 만듭니다.
3. 제출 탭에 파일을 올려 형식을 확인한 뒤 제출합니다.
"""

_DAILY_EN = """\
Read everyday Korean dialogues, at school, at work, in therapy, while shopping, at leisure or on
a journey, and summarize each in one or two sentences.

### The task

Two people speak in each dialogue. A person whose name is not mentioned is written `#Person1#` or
`#Person2#`. Say briefly who wanted what, what was decided, and why. It matters just as much not
to invent anything that was not said.

### Why three references

People who read the same dialogue find different things important. Each dialogue therefore has
three reference summaries, written from different points of view, and yours is compared with all
of them. The three differ among themselves, so a full score is hardly possible.

### Data

- 40 test dialogues: 20 count for the public score and 20 for the private one. Which is which is
  not disclosed.
- 10 development dialogues, released with their three references. Read and analyse them as you
  like, and score your own summaries on them.

All dialogues and summaries, which are in Korean, were written for this contest. The people and
shops in them do not exist.

### Getting started

1. Download the dialogues from the data tab.
2. Make a CSV file with the two columns `fname` and `summary`.
3. Drop it on the submit tab, look at the format check, and submit.
"""

_CALLS_KO = """\
예약을 바꾸고, 택배를 찾고, 안부를 묻는 짧은 전화 통화를 한두 문장으로 요약하는 대회였습니다.

### 무엇을 했나요?

전화로 나누는 말은 짧고 상황 설명이 적습니다. 앞뒤를 이어서 누가 왜 전화했고 통화가 끝난 뒤
무엇을 하기로 했는지를 요약에 담아야 합니다. 이름이 나오지 않는 사람은 `#Person1#`,
`#Person2#`로 적혀 있습니다.

### 데이터

통화 24개로 겨루었고, 12개는 Public, 12개는 Private 점수에 쓰였습니다. 통화마다 서로 다르게 쓴
정답 요약이 세 개씩 있습니다. 통화와 요약은 모두 이 대회를 위해 새로 쓴 것입니다.

### 결과

대회는 끝났고 Private 순위가 공개되었습니다. 리더보드에서 Public 순위와 견주어 볼 수 있습니다.
"""

_CALLS_EN = """\
A contest, now over, about short phone calls: changing a booking, tracing a parcel, asking how
somebody is. Each call was to be summarized in one or two sentences.

### The task

What people say on the phone is brief and explains little. A summary had to connect the parts: who
called, why, and what they agreed to do afterwards. A person whose name is not mentioned is
written `#Person1#` or `#Person2#`.

### Data

There were 24 calls: 12 counted for the public score and 12 for the private one. Each has three
reference summaries, worded differently. All calls and summaries, which are in Korean, were
written for this contest.

### Result

The contest has closed and the private ranking is revealed. The leaderboard lets you compare it
with the public one.
"""

PAGES: Mapping[str, ContestPages] = MappingProxyType(
    {
        RUNNING_SLUG: ContestPages(
            slug=RUNNING_SLUG,
            title_ko="일상 대화 요약",
            title_en="Dialogue Summarization",
            introduction_ko=_DAILY_KO,
            introduction_en=_DAILY_EN,
            rules_ko=_RULES_KO,
            rules_en=_RULES_EN,
        ),
        FINISHED_SLUG: ContestPages(
            slug=FINISHED_SLUG,
            title_ko="짧은 통화 요약",
            title_en="Short Call Summarization",
            introduction_ko=_CALLS_KO,
            introduction_en=_CALLS_EN,
            rules_ko=_RULES_KO,
            rules_en=_RULES_EN,
        ),
    }
)
