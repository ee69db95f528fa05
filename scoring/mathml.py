"""The row score as MathML, element by element, from the profile. No outside text enters it."""

from scoring.profile import Measure, Metric, Profile

_MEASURES: dict[Measure, str] = {
    "f1": "<mtext>F1</mtext>",
    "precision": "<mi>P</mi>",
    "recall": "<mi>R</mi>",
}


def row_score(profile: Profile, ngolds: tuple[int, int], name: str) -> str:
    """`name = max F1(p, gᵢ) + ...` for one row, as a `<math>` element."""
    metrics = profile.parsed_metrics
    terms = "<mo>+</mo>".join(_term(metric, profile, ngolds) for metric in metrics)
    if profile.metric_aggregation == "mean" and len(metrics) > 1:
        fraction = f"<mfrac><mn>1</mn><mn>{len(metrics)}</mn></mfrac>"
        terms = f'{fraction}<mo stretchy="false">(</mo>{terms}<mo stretchy="false">)</mo>'
    elif profile.scale != 1 and len(metrics) > 1:
        terms = f'<mo stretchy="false">(</mo>{terms}<mo stretchy="false">)</mo>'
    if profile.scale != 1:
        terms = f"<mn>{profile.scale}</mn><mo>×</mo>{terms}"
    return _math(f"<mtext>{name}</mtext><mo>=</mo>{terms}")


def f1_of_counts(overlap: int, candidate: int, reference: int, value: str) -> str:
    """`F1 = 2 x overlap / (candidate + reference) = value` with numbers filled in."""
    return _math(
        "<mtext>F1</mtext><mo>=</mo><mfrac>"
        f"<mrow><mn>2</mn><mo>×</mo><mn>{overlap}</mn></mrow>"
        f"<mrow><mn>{candidate}</mn><mo>+</mo><mn>{reference}</mn></mrow>"
        f"</mfrac><mo>=</mo><mn>{value}</mn>"
    )


def _math(inner: str) -> str:
    return f'<math displaystyle="true"><mrow>{inner}</mrow></math>'


def _term(metric: Metric, profile: Profile, ngolds: tuple[int, int]) -> str:
    single = ngolds == (1, 1)
    gold = "<mi>g</mi>" if single else "<msub><mi>g</mi><mi>i</mi></msub>"
    value = (
        f"<msub>{_MEASURES[metric.measure]}<mtext>{metric.label}</mtext></msub>"
        f'<mo stretchy="false">(</mo><mi>p</mi><mo>,</mo>{gold}<mo stretchy="false">)</mo>'
    )
    return value if single else _over_golds(profile, ngolds) + value


def _over_golds(profile: Profile, ngolds: tuple[int, int]) -> str:
    low, high = ngolds
    last = f"<mn>{high}</mn>" if low == high else "<mi>n</mi>"
    if profile.gold_aggregation == "max":
        places = _places(low, high)
        return (
            f"<munder><mi>max</mi><mrow><mi>i</mi><mo>=</mo>{places}</mrow></munder>"
            '<mspace width=".25em"/>'
        )
    return (
        f"<mfrac><mn>1</mn>{last}</mfrac>"
        f"<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow>{last}</munderover>"
    )


def _places(low: int, high: int) -> str:
    if low == high and high <= 3:
        return "<mo>,</mo>".join(f"<mn>{place}</mn>" for place in range(1, high + 1))
    last = f"<mn>{high}</mn>" if low == high else "<mi>n</mi>"
    return f"<mn>1</mn><mo>,</mo><mo>…</mo><mo>,</mo>{last}"
