"""What people write in Markdown stays readable on a phone: words whole, wide things in a box."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import sideways
from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser

TEXT = """## 실험 결과

| 모델 | 학습률 | ROUGE-1 | ROUGE-2 | ROUGE-L | public 총점 |
|---|---:|---:|---:|---:|---:|
| kobart-base-v2 | 0.00003 | 0.5312 | 0.3105 | 0.4623 | 1.3040 |

```python
predictions = model.generate(**tokenizer(dialogues, return_tensors="pt"), num_beams=4)
```
"""
# How many lines a cell's longest word takes, which boxes scroll, and which of them a key reaches.
LOOK = """() => {
  const range = document.createRange();
  const lines = (node) => { range.selectNodeContents(node);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size; };
  const boxes = [...document.querySelectorAll("#preview .scroller, #preview pre")];
  return {
    broken: [...document.querySelectorAll("#preview td")].filter((one) => lines(one) > 1).length,
    scrolling: boxes.map((one) => one.scrollWidth > one.clientWidth + 1),
    reached: boxes.map((one) => one.tabIndex === 0),
    code: lines(document.querySelector("#preview pre code")),
  };
}"""


def test_tables_and_code_scroll_in_their_own_box(windows: Windows) -> None:
    for width in (360, 1440):
        page = windows.open(who="alice", width=width)
        page.goto("/c/daily-dialogue/forum/new")
        page.locator("[name=title]").fill("표와 코드")
        page.locator("[name=text]").fill(TEXT)
        page.locator("button[value=preview]").click()
        expect(page.locator("#preview pre code")).to_be_visible()
        found = page.evaluate(LOOK)
        assert found["broken"] == 0
        assert found["scrolling"] == [width == 360] * 2
        assert found["reached"] == [True] * 2
        assert found["code"] == 1
        assert sideways(page) <= 0
