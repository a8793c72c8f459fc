"""A CodeAgent of Hugging Face smolagents that runs its code in a sandbox, through smolagents' own E2B executor. The
model here is a script, so that the example needs no network; put any of smolagents' models in its place.

    pip install smolagents e2b-code-interpreter
    E2B_API_URL=http://127.0.0.1:7070 E2B_SANDBOX_URL=http://127.0.0.1:7070 E2B_API_KEY=e2b_... python smolagents_agent.py
"""

import os

from smolagents import ChatMessage, CodeAgent, Model, tool


class ScriptedModel(Model):
    """Answers with the next line of a script, whatever it is asked."""

    steps = [
        "I count first.\n<code>\ncounts = [word_length(word) for word in ['glove', 'box', 'sandbox']]\nprint(counts)\n</code>",
        "Now the answer.\n<code>\nimport os\nfinal_answer({'total': sum(counts), 'home': os.environ['HOME']})\n</code>",
    ]

    def __init__(self):
        super().__init__()
        self.asked = 0

    def generate(self, messages, **_):
        self.asked += 1
        return ChatMessage(role="assistant", content=self.steps[self.asked - 1])


@tool
def word_length(word: str) -> int:
    """Counts the letters of a word.

    Args:
        word: The word.
    """
    return len(word)


template = os.environ.get("GLOVEBOX_TEMPLATE", "code-interpreter-v1")
with CodeAgent(
    tools=[word_length], model=ScriptedModel(), executor_type="e2b", executor_kwargs={"template": template}, verbosity_level=0
) as agent:
    print(agent.run("How many letters have these words?"))
