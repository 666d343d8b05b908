"""A GGUF file on this computer as a Generator, through llama-cpp-python (extra ``local``)."""

from __future__ import annotations

import codecs
import hashlib
import json
import logging
import os
import threading
from collections.abc import Callable, Generator, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

from thinkback.errors import BadReply, InvalidInput, MissingExtra, ModelRejected, ModelUnavailable
from thinkback.llm.gguf_prompt import Prompt, PromptTemplate
from thinkback.llm.gguf_states import PrefixStates
from thinkback.llm.gguf_threads import idle_cores
from thinkback.llm.stops import StopCutter
from thinkback.llm.thinking import ThinkingFilter
from thinkback.ports import Delta, ModelTraits, Reply, Request
from thinkback.types import Usage

__all__ = ["GgufGenerator"]

_MAGIC: Final = b"GGUF"
_SAMPLE: Final = 1 << 20
_BATCH: Final = 128
"""Tokens read at a time: between two batches a reader can be stopped. Larger ones are no quicker on a CPU."""
_LEAST_ROOM: Final = 32
"""Tokens that a reply needs at the least."""
_OWN_STREAM: Final = 60.0
"""Seconds."""
_SILENT: Final = logging.CRITICAL + 1


class GgufGenerator:
    """A language model out of a file. It is loaded at its first use, and does one thing at a time.

    Args:
        path: the file.
        id: the name it goes by; by default the file's name and the first digits of a checksum of its ends.
        context: tokens of prompt and reply together; more takes more memory.
        traits: by default local, evidence first, and that context as window.
        chat_format: "chatml" or a Jinja template, for files without a template of their own.
        threads: None: as many as there are idle cores, looked at before each reply.
        state_memory: bytes for what was read of earlier prompts (some 28 kB a token for a model of 1.5 billion
            parameters); 0 keeps only the last.

    Raises:
        InvalidInput: the context is too small for anything.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        id: str | None = None,  # noqa: A002 - the port's name for it
        context: int = 4096,
        traits: ModelTraits | None = None,
        chat_format: str | None = None,
        threads: int | None = None,
        state_memory: int = 512 << 20,
    ) -> None:
        if context < 2 * _LEAST_ROOM:
            raise InvalidInput(f"A context of {context} tokens holds no prompt and reply.")
        self._path = Path(path)
        self.id = id or f"gguf:{self._path.stem}-{_ends_digest(self._path)}"
        self.traits = traits or ModelTraits(context_window=context, evidence_first=True, local=True)
        self._context = context
        self._chat_format = chat_format
        self._threads = threads
        self._state_memory = state_memory
        self._llm: Any = None
        self._template: PromptTemplate | None = None
        self._states: PrefixStates | None = None
        self._closed = False
        self._loading = threading.Lock()
        self._turn = threading.Lock()
        self._holder: int | None = None

    def __repr__(self) -> str:
        return f"GgufGenerator(id={self.id!r})"

    # --- the port ------------------------------------------------------------------------------------------------
    def generate(self, request: Request) -> Reply:
        """Return the whole reply; waits while another thread uses the model.

        Raises:
            MissingExtra, ModelUnavailable, ModelRejected, BadReply
        """
        reply = None
        for piece in self.stream(request):
            reply = piece if isinstance(piece, Reply) else None
        assert reply is not None  # noqa: S101 - a stream that does not raise ends with its reply
        return reply

    def stream(self, request: Request) -> Generator[Delta | Reply, None, None]:
        """Yield pieces as they come, then the Reply. Closing the iterator stops the model after the token at hand.

        Raises:
            MissingExtra, ModelUnavailable, ModelRejected, BadReply
        """
        self._load()
        self._take_turn()
        try:
            reply = yield from self._answer(self._load(), request)
        finally:
            self._end_turn()
        yield reply  # with the model free again, for who has the reply does not always ask for more

    def count(self, text: str) -> int:
        """Return the number of tokens, exactly; special tokens are not read in the text."""
        if not text:
            return 0
        with self._loading:  # so that nobody frees the model meanwhile
            return len(_tokenizer(self._loaded())(text, False))

    def close(self) -> None:
        """Free the memory, at once or when the reply at hand is finished."""
        self._closed = True
        if self._turn.acquire(blocking=False):
            self._end_turn()

    def _take_turn(self) -> None:
        # A thread that is in the middle of a stream of its own cannot go on with that stream while it waits here, unless
        # another thread does: a pool may hand the pieces of one stream to several threads.
        mine = self._holder == threading.get_ident()
        if not self._turn.acquire(timeout=_OWN_STREAM if mine else -1):
            raise ModelUnavailable(
                f"The model {self.id!r} is in the middle of a stream that this thread opened.",
                hint="Read the stream to its end, or close it, first.",
            )
        self._holder = threading.get_ident()

    def _end_turn(self) -> None:
        self._holder = None
        if self._closed:
            with self._loading:
                if self._states is not None:
                    self._states.forget()
                if self._llm is not None:
                    self._llm.close()
                self._llm = self._template = self._states = None
        self._turn.release()
        if self._closed and self._llm is not None:  # it was closed a moment ago, while we still had the turn
            self.close()

    # --- loading -------------------------------------------------------------------------------------------------
    def _load(self) -> Any:
        with self._loading:
            return self._loaded()

    def _loaded(self) -> Any:
        if self._closed:
            raise ModelUnavailable(f"The model {self.id!r} was closed.")
        if self._llm is None:
            self._llm = self._open()
            self._template = self._read_template(self._llm)
            self._states = PrefixStates(self._llm, memory=self._state_memory)
        return self._llm

    def _open(self) -> Any:
        remedy = "Pull it again with: thinkback models pull NAME"
        try:
            with self._path.open("rb") as handle:
                begins = handle.read(len(_MAGIC))
        except OSError as error:
            raise ModelUnavailable(f"The model file {self._path.name!r} cannot be read.", hint=remedy) from error
        if begins != _MAGIC:
            raise ModelUnavailable(f"{self._path.name!r} is no GGUF file, or is damaged.", hint=remedy)
        try:
            import llama_cpp  # noqa: PLC0415 - an extra, and slow to load
        except ImportError as error:
            raise MissingExtra("A local language model", "local") from error
        logger = logging.getLogger("llama-cpp-python")
        try:
            llm = llama_cpp.Llama(
                model_path=str(self._path),
                n_ctx=self._context,
                n_batch=_BATCH,
                n_ubatch=_BATCH,
                n_threads=self._threads or 1,
                n_threads_batch=self._threads or 1,
                verbose=False,
            )
        except (ValueError, RuntimeError, OSError, AssertionError) as error:
            raise ModelUnavailable(
                f"The model file {self._path.name!r} cannot be loaded: it is damaged, of an unknown kind, or too large"
                " for the memory.",
                hint=remedy,
            ) from error
        finally:
            logger.setLevel(_SILENT)  # it prints to stderr by itself; what goes wrong is raised here
        return llm

    def _read_template(self, llm: Any) -> PromptTemplate:
        texts = [_token_text(llm, token) for token in (llm.token_bos(), llm.token_eos())]
        return PromptTemplate(llm.metadata, self._chat_format, bos=texts[0], eos=texts[1], tokenize=_tokenizer(llm))

    # --- one reply -----------------------------------------------------------------------------------------------
    def _answer(self, llm: Any, request: Request) -> Generator[Delta, None, Reply]:
        assert self._template is not None  # noqa: S101 - they live and die with llm, and it is our turn
        assert self._states is not None  # noqa: S101
        prompt = self._template.prompt(request.messages)
        room = self._room(prompt, request.max_tokens)
        grammar = None if request.schema is None else _grammar(json.dumps(dict(request.schema)))
        _use_threads(llm, self._threads or idle_cores())
        cached = self._states.prepare(prompt.tokens)
        llm.set_seed(request.seed)
        tokens = llm.generate(
            list(prompt.tokens), temp=request.temperature, top_p=1.0, min_p=0.05, top_k=0, grammar=grammar
        )
        run = _Run(llm, prompt, request)
        shown: list[str] = []
        try:
            for text in run.texts(tokens, room):
                shown.append(text)
                yield Delta(text=text)
        except RuntimeError as error:
            raise ModelUnavailable(f"The model {self.id!r} broke off in the middle of a reply.") from error
        finally:
            tokens.close()
        text = "".join(shown).strip()
        usage = Usage(
            calls=1,
            prompt_tokens=len(prompt.tokens),
            completion_tokens=run.produced,
            cached_prompt_tokens=cached,
        )
        if not text:
            what = "thought until its output was used up and said nothing" if run.thinking else "sent an empty reply"
            fault = BadReply(f"The model {self.id!r} {what}.")
            fault.usage = usage
            raise fault
        return Reply(text=text, model=self.id, usage=usage, finish=run.finish)

    def _room(self, prompt: Prompt, wanted: int) -> int:
        left = self._context - len(prompt.tokens)
        if left < min(wanted, _LEAST_ROOM):
            raise ModelRejected(
                f"The prompt of {len(prompt.tokens)} tokens does not fit the context of {self._context} with a reply.",
                hint="Use a smaller context, or load the model with a larger one.",
            )
        return min(left, wanted)


class _Run:
    """From tokens to text that may be shown."""

    def __init__(self, llm: Any, prompt: Prompt, request: Request) -> None:
        import llama_cpp  # noqa: PLC0415

        self._llm = llm
        vocabulary = llama_cpp.llama_model_get_vocab(llm.model)
        self._ends: Callable[[int], bool] = lambda token: bool(llama_cpp.llama_vocab_is_eog(vocabulary, token))
        self._thoughts = ThinkingFilter(inside=prompt.thinking)
        self._stops = StopCutter(request.stop)
        self.produced = 0
        self.finish: Literal["stop", "length"] = "length"

    @property
    def thinking(self) -> bool:
        """Whether the reply is inside a thinking block."""
        return self._thoughts.thinking

    def texts(self, tokens: Iterator[int], room: int) -> Iterator[str]:
        """Yield the text of a reply of at most ``room`` tokens."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")  # one character may take several tokens
        for token in tokens:
            if self._ends(token):
                self.finish = "stop"
                break
            self.produced += 1
            text = self._stops.feed(self._thoughts.feed(decoder.decode(self._llm.detokenize([token]))))
            if text:
                yield text
            if self._stops.stopped:
                self.finish = "stop"
                return
            if self.produced >= room:
                break
        rest = self._stops.feed(self._thoughts.feed(decoder.decode(b"", final=True)) + self._thoughts.finish())
        if rest := rest + self._stops.finish():
            yield rest


def _tokenizer(llm: Any) -> Callable[[str, bool], list[int]]:
    def tokenize(text: str, special: bool) -> list[int]:
        tokens: list[int] = llm.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=special)
        return tokens

    return tokenize


def _use_threads(llm: Any, threads: int) -> None:
    import llama_cpp  # noqa: PLC0415

    llama_cpp.llama_set_n_threads(llm.ctx, threads, threads)


@lru_cache(maxsize=32)
def _grammar(schema: str) -> Any:
    import llama_cpp  # noqa: PLC0415

    grammar: Any = llama_cpp.LlamaGrammar
    try:
        return grammar.from_json_schema(schema, verbose=False)
    except Exception as error:
        raise ModelRejected("The reply's schema cannot be made a grammar.") from error


def _token_text(llm: Any, token: int) -> str:
    if token < 0:
        return ""
    text: bytes = llm.detokenize([token], special=True)
    return text.decode("utf-8", "replace")


def _ends_digest(path: Path) -> str:
    """Return eight digits that tell files apart: of the size and both ends, for hashing a gigabyte takes seconds."""
    try:
        with path.open("rb") as handle:
            size = handle.seek(0, os.SEEK_END)
            digest = hashlib.sha256(str(size).encode())
            for start in (0, max(0, size - _SAMPLE)):
                handle.seek(start)
                digest.update(handle.read(_SAMPLE))
    except OSError:
        return "missing"
    return digest.hexdigest()[:8]
