"""Adding: text, files, folders, lists; what is there already, what is empty, what fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from thinkback.embed.hashing import HashingEmbedder
from thinkback.errors import InvalidInput, ModelError, ModelTimeout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    return folder


def test_adding_again_is_a_no_op(engine, bridge):
    [first] = engine.add(bridge)
    before = list(engine.export())
    [again] = engine.add(bridge)
    assert (again.status, again.document_id) == ("unchanged", first.document_id)
    assert list(engine.export()) == before


def test_fault_10_the_same_id_added_and_edited_thrice_holds_the_last_version(engine):
    texts = [f"Version {n}. The bridge was opened in {1930 + n}. It has {n} lanes." for n in range(4)]
    for number, text in enumerate(texts):
        [result] = engine.add(text, doc_id="X")
        assert result.status == ("updated" if number else "added")
    [document] = engine.documents()
    assert (document.id, document.version) == ("X", 4)
    assert engine.text("X") == texts[-1]
    hits = engine.search("bridge opened", top_k=50)
    assert all("1933" in hit.item.text or "Version 3" in hit.item.text for hit in hits)


def test_files_folders_and_lists(engine, folder, bridge, tunnel):
    (folder / "a.txt").write_text(bridge)
    (folder / "sub").mkdir()
    (folder / "sub" / "b.md").write_text(f"# Tunnels\n\n{tunnel}")
    (folder / ".hidden.txt").write_text("hidden")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    assert [result.status for result in engine.add(folder)] == ["added", "added"]
    assert {document.title for document in engine.documents()} == {"a", "Tunnels"}
    assert [result.status for result in engine.add([folder / "a.txt", str(folder / "sub" / "b.md")])] == [
        "unchanged"
    ] * 2


def test_a_failing_file_does_not_stop_the_others(engine, folder, bridge):
    (folder / "a.txt").write_text(bridge)
    (folder / "b.pdf").write_bytes(b"%PDF-1.4 broken")
    (folder / "c.txt").write_text(" \n ")
    results = {Path(result.uri).name: result for result in engine.add(folder)}
    assert results["a.txt"].status == "added"
    assert results["b.pdf"].status == "failed"
    assert results["b.pdf"].reason
    assert results["c.txt"].status == "empty"
    assert len(engine.documents()) == 1


def test_a_renamed_file_keeps_its_document_and_a_copy_is_not_added_twice(engine, folder, bridge):
    (folder / "a.txt").write_text(bridge)
    [first] = engine.add(folder / "a.txt")
    (folder / "a.txt").rename(folder / "b.txt")
    [moved] = engine.add(folder / "b.txt")
    assert (moved.status, moved.document_id) == ("moved", first.document_id)
    (folder / "copy.txt").write_text(bridge)
    [copy] = engine.add(folder / "copy.txt")
    assert (copy.status, copy.document_id) == ("unchanged", first.document_id)
    assert "same text" in copy.reason


def test_copies_in_one_call_are_added_once(engine, folder, bridge):
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text(bridge)
    assert sorted(result.status for result in engine.add(folder)) == ["added", "unchanged", "unchanged"]
    assert len(engine.documents()) == 1


@pytest.mark.parametrize(
    "source", ["", "  ", "\u200b", None, 7, {"a": 1}, b"bytes", "missing.pdf", "./nothing", Path("nothing.txt")]
)
def test_fault_19_what_cannot_be_added_is_refused_at_once(engine, source):
    with pytest.raises(InvalidInput):
        engine.add(source)
    assert engine.documents() == ()


def test_a_url_of_a_host_that_was_not_allowed_fails_without_a_request(engine):
    [result] = engine.add("https://example.org/paper.pdf")
    assert result.status == "failed"
    assert "example.org" in result.reason


@pytest.mark.parametrize("metadata", [{"user_id": "b"}, {"namespace": "b"}, {"id": "x"}, {"a": [1]}, {"": 1}, {3: 1}])
def test_fault_67_reserved_and_impossible_metadata_is_refused(engine, bridge, metadata):
    with pytest.raises(InvalidInput):
        engine.add(bridge, metadata=metadata)
    [added] = engine.add(bridge)
    with pytest.raises(InvalidInput):
        engine.update(added.document_id, metadata=metadata)


def test_metadata_title_and_trust_can_be_changed(engine, bridge):
    [added] = engine.add(bridge, metadata={"year": 1932})
    engine.update(added.document_id, metadata={"year": 1933}, title="Arches")
    document = engine.get(added.document_id)
    assert (dict(document.metadata), document.title, document.version) == ({"year": 1933}, "Arches", 1)
    assert engine.search("bridge", filters={"year": 1933})
    assert engine.search("bridge", filters={"year": 1932}) == ()
    with pytest.raises(InvalidInput):
        engine.update(added.document_id, trust="high")


def test_chunks_have_exact_offsets(make_engine, bridge, tunnel):
    engine = make_engine(chunk_size=16)
    [added] = engine.add(f"{bridge}\n\n{tunnel}")
    text = engine.text(added.document_id)
    with engine._parts.store.read() as reader:
        chunks = reader.chunks("default", added.document_id)
    assert len(chunks) > 3
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))


def test_one_doc_id_for_several_sources_is_refused(engine, folder, bridge, tunnel):
    with pytest.raises(InvalidInput):
        engine.add([bridge, tunnel], doc_id="x")
    with pytest.raises(InvalidInput):
        engine.add(folder, doc_id="x")


class Failing(HashingEmbedder):
    """Fails from the second call on, until it is mended."""

    def __init__(self) -> None:
        super().__init__(dimension=64)
        self.calls = 0
        self.broken = True

    def embed(self, texts, *, kind):
        self.calls += 1
        if self.broken and self.calls >= 2:
            raise ModelTimeout("the embedder took too long")
        return super().embed(texts, kind=kind)


def test_fault_77_a_failure_on_the_way_says_what_was_done_and_a_rerun_resumes(make_engine):
    embedder = Failing()
    engine = make_engine(embedder=embedder, chunk_size=8)
    texts = [f"{n} " + " ".join(f"Word{n}x{k} is here now and then again." for k in range(120)) for n in range(5)]
    report = engine.add(texts)
    done = [result for result in report if result.status == "added"]
    failed = [result for result in report if result.status == "failed"]
    assert done
    assert failed
    assert all("too long" in result.reason for result in failed)
    assert len(engine.documents()) == len(done)
    embedder.broken = False
    again = engine.add(texts)
    assert [result.status for result in again].count("unchanged") == len(done)
    assert [result.status for result in again].count("added") == len(failed)


def test_a_changed_document_whose_embedding_fails_stays_as_it_was(make_engine, bridge):
    embedder = Failing()
    engine = make_engine(embedder=embedder)
    [added] = engine.add(bridge)
    embedder.calls = 10
    [result] = engine.add("Another text altogether.", doc_id=added.document_id)
    assert result.status == "failed"
    assert engine.text(added.document_id) == bridge
    with pytest.raises(ModelError):
        engine.search("bridge")


def test_progress_is_told(engine, folder):
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"Text number {number} about bridges and tunnels.")
    told = []
    engine.add(folder, progress=lambda stage, done, total, note="": told.append((stage, done, total)))
    assert ("documents", 3, 3) in told
    assert any(stage == "chunks" for stage, _, _ in told)


def test_fault_95_texts_in_other_encodings_are_read(engine, folder):
    (folder / "gbk.txt").write_bytes("港湾大桥于一九三二年开通，历时九年建成，桥上有八条车道。".encode("gbk"))
    (folder / "utf16.txt").write_text("Die Brücke wurde 1932 eröffnet. Größe: 8 Spuren.", encoding="utf-16")
    assert [result.status for result in engine.add(folder)] == ["added", "added"]
    texts = {engine.text(document.id) for document in engine.documents()}
    assert any("港湾大桥" in text for text in texts)
    assert any("Brücke" in text for text in texts)


def test_lone_surrogates_and_nul_do_no_harm(engine):
    [added] = engine.add("The bridge \udc80 was opened \x00 in 1932.")
    assert added.status == "added"
    assert "\x00" not in engine.text(added.document_id)
    assert engine.search("bridge \udc80 opened")


def test_attached_files_of_a_bibliography(engine, folder, bridge):
    (folder / "bridge.txt").write_text(bridge)
    (folder / "refs.bib").write_text(
        "@article{arch1932, title={Arches of Steel}, author={Smith, Ann and Ng, Bo}, year={1932}, file={bridge.txt}}\n"
        "@book{lost, title={A Lost Book}, year={1900}}\n"
    )
    results = list(engine.add(folder / "refs.bib"))
    assert [result.status for result in results] == ["added", "failed"]
    document = engine.get(results[0].document_id)
    assert document.title == "Arches of Steel"
    assert document.metadata["bib_key"] == "arch1932"
    assert "no attached file" in results[1].reason


def test_fault_70_hostile_text_in_queries_is_only_text(engine, bridge):
    engine.add(bridge)
    for query in [
        'bridge" OR 1=1',
        "bridge*",
        "NEAR(bridge tunnel)",
        "a' ; DROP TABLE x; --",
        "%_\x01",
        "bridge " * 5000,
    ]:
        assert engine.search(query), query
    assert len(engine.documents()) == 1


def test_fault_96_cjk_text_is_found_by_its_words(engine):
    engine.add("该系统采用混合检索技术，把稠密向量与词法匹配结合起来。")
    engine.add("国際標準化機構の規格について説明します。")
    engine.add("스코프랩스는 서울에 있는 회사입니다.")
    for query in ("混合检索", "国際標準化", "스코프랩스"):
        [best, *_] = engine.search(query)
        assert query in best.item.text
        assert "words" in best.why


def test_fault_94_an_empty_store_answers_every_question(engine):
    assert engine.search("anything") == ()
    assert engine.get_all() == ()
    assert engine.documents() == ()
    assert engine.history() == ()
    assert engine.audit().findings == ()
    assert engine.stats().counts["documents"] == 0
    assert len(list(engine.export())) == 1
    assert engine.refresh() == ()
    assert engine.last_answer() is None


def test_search_limits_and_kinds(engine, bridge, tunnel):
    engine.add([bridge, tunnel])
    engine.ask("When was the harbour bridge opened?")
    assert {hit.kind for hit in engine.search("harbour bridge", kind="thoughts")} == {"thought"}
    assert {hit.kind for hit in engine.search("harbour bridge", kind="chunks")} == {"chunk"}
    assert len(engine.search("harbour bridge", top_k=1)) == 1
    scores = [hit.score for hit in engine.search("harbour bridge")]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    for arguments in ({"kind": "words"}, {"top_k": 0}):
        with pytest.raises(InvalidInput):
            engine.search("bridge", **arguments)
