"""The example records of Google's page, as valid JSON.

Two corrections: the page forgets the braces in the list of the categorical example, and writes
completeness with single quotes. Booleans stay as they are there: true in one, "True" in others.
"""

from typing import Any

DECOMPOSITION: list[dict[str, Any]] = [
    {
        "point": "The customer wants to cancel their subscription.",
        "accuracy": "This is accurate. The customer calls to get support of cancelling their "
        "subscription.",
        "is_accurate": True,
    },
    {
        "point": "The customer asks about a $30 credit.",
        "accuracy": "This is inaccurate. The customer mentioned $10.",
        "is_accurate": False,
    },
]

CATEGORICAL: list[dict[str, Any]] = [
    {
        "question": "Does the summary follow the instruction and return only one of the allowed "
        "categorical values?",
        "reasoning": "The summary is not a categorical value. It contains descriptive text instead "
        "of providing only one of the allowed categorical values.",
        "is_addressed": "False",
    }
]

NONCATEGORICAL: list[dict[str, Any]] = [
    {
        "question": "Does the summary follow the instruction 'State the product name being "
        "returned'?",
        "reasoning": "Summary followed instruction. It correctly stated the product name, for "
        "example: 'return the 'Stealth Bomber X5' gaming mouse'.",
        "is_addressed": "True",
    }
]


def _content(transcript: str, summary: str) -> dict[str, Any]:
    return {
        "transcript_content": transcript,
        "related_content_from_summary": summary,
        "is_covered": "True" if summary else "False",
    }


COMPLETENESS: list[dict[str, Any]] = [
    {
        "question": "Does the summary follow 'Describe the specific actions the agent took to "
        "assist the customer with their issue  or request'?",
        "content_list": [
            _content(
                "The agent provided the customer with the arrival window for the ABC appointment.",
                "The agent, Robyn, provided the customer with the arrival window for the ABC "
                "appointment, which is from 01:30 PM to 2:45 PM.",
            ),
            _content(
                "The agent clarified that the arrival window information is sent via text message.",
                "The agent also clarified that the arrival window information is sent via text "
                "message",
            ),
            _content(
                "The agent confirmed the phone number is 123-456-7890.",
                "and confirmed the phone number is 123-456-7890.",
            ),
        ],
    },
    {
        "question": "Does the summary follow 'Identify any dates explicitly mentioned by the agent "
        "or the customer'?",
        "content_list": [_content("The ABC appointment is on June 2nd.", "")],
    },
    {
        "question": "Does the summary follow 'Identify the brand and any relevant specifications "
        "mentioned in the conversation'?",
        "content_list": [_content("The appointment is for a Google Pixel.", "")],
    },
    {
        "question": "Does the summary follow 'Describe any updates the agent made, such as price, "
        "address, or order updates'?",
        "content_list": [],
    },
    {
        "question": "Does the summary follow 'Extract the customer's order number and include it "
        "in the summary'?",
        "content_list": [],
    },
]
