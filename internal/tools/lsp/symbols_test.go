package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/lsp"
)

// span is a range on one line, from 0, in the columns of the server.
func span(line, from, to int) map[string]any {
	at := func(col int) map[string]any { return map[string]any{"line": line, "character": col} }
	return map[string]any{"start": at(from), "end": at(to)}
}

func edit(line, from, to int, text string) map[string]any {
	return map[string]any{"range": span(line, from, to), "newText": text}
}

// A name stands for a column, in the encoding of the server.
func TestSymbols(t *testing.T) {
	skipWindows(t)
	for _, encoding := range []string{"utf-8", "utf-16"} {
		f := newFake()
		f.caps["positionEncoding"] = encoding
		var d *desk
		var asked map[string]any
		f.answer = func(_ *fake, method string, params map[string]any) any {
			switch method {
			case "textDocument/hover":
				asked = params["position"].(map[string]any)
				return map[string]any{"contents": map[string]any{"kind": "plaintext", "value": "func two()"}}
			case "textDocument/definition":
				return map[string]any{"uri": d.uri("b.x"), "range": span(0, 0, 3)}
			case "textDocument/references":
				return []any{map[string]any{"uri": d.uri("a.x"), "range": span(1, 0, 3)}, map[string]any{"uri": "file:///lib/x.x", "range": span(6, 0, 3)}}
			case "textDocument/documentSymbol":
				return []any{map[string]any{"name": "T", "kind": 23, "selectionRange": span(1, 0, 1), "children": []any{
					map[string]any{"name": "two", "kind": 6, "detail": "func()", "selectionRange": span(2, 0, 3)},
				}}}
			}
			return nil
		}
		d = newDesk(t, lsp.Options{Start: starts(t, f)}, map[string]string{"a.x": "one\r\n𝄞 ä two twofold\r\n", "b.x": "  func two\n"})
		if got := d.must("symbols", `{"op":"hover","path":"a.x","line":2,"name":"pkg.two"}`); got != "func two()\n" {
			t.Errorf("hover: %q", got)
		}
		column := map[string]float64{"utf-8": 8, "utf-16": 5}[encoding]
		if diff := cmp.Diff(map[string]any{"line": 1.0, "character": column}, asked); diff != "" {
			t.Errorf("%s: %s", encoding, diff)
		}
		for args, want := range map[string]string{
			`{"op":"hover","path":"a.x","line":1,"name":"two"}`:      "[two is on line 2, not on line 1]\nfunc two()\n",
			`{"op":"definition","path":"a.x","line":2,"name":"two"}`: "b.x:1: func two\n",
			`{"op":"references","path":"a.x","line":2,"name":"two"}`: "/lib/x.x\n7\n\na.x\n2: 𝄞 ä two twofold\n",
			`{"op":"outline","path":"a.x"}`:                          "2: struct T\n3:   method two func()\n",
		} {
			if diff := cmp.Diff(want, d.must("symbols", args)); diff != "" {
				t.Errorf("%s: %s", args, diff)
			}
		}
		for args, want := range map[string]string{
			`{"op":"hover","path":"a.x","line":2,"name":"fold"}`: `a.x does not contain fold; line 2 is "𝄞 ä two twofold". Search for the symbol, and give a file and a line that contain it`,
			`{"op":"hover","path":"a.x","line":2}`:               "hover needs name: the symbol as it is written in the file; a column is not used",
			`{"op":"outline","path":"a.y"}`:                      "a.y",
			`{"op":"outline","path":"c.md"}`:                     "c.md",
		} {
			if _, err := d.call("symbols", args, false); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", args, err)
			}
		}
	}
}

// A model need not know the line, and a wrong one is answered with the right ones.
func TestSymbolsWithoutALine(t *testing.T) {
	skipWindows(t)
	f := newFake()
	var d *desk
	f.answer = func(_ *fake, method string, params map[string]any) any {
		switch method {
		case "textDocument/definition":
			line := params["position"].(map[string]any)["line"].(float64)
			return map[string]any{"uri": d.uri("a.x"), "range": span(int(line), 0, 3)}
		case "textDocument/references":
		default:
			return nil
		}
		place := func(name string, line int) any {
			return map[string]any{"uri": d.uri(name), "range": span(line, 0, 3)}
		}
		return []any{place("b.x", 0), place("a.x", 20), place("a.x", 1), place("a.x", 1)}
	}
	d = newDesk(t, lsp.Options{Start: starts(t, f)}, map[string]string{"a.x": "// two\ntwo two\n" + strings.Repeat("\n", 18) + "two once\n", "b.x": "two\n"})
	for args, want := range map[string]string{
		`{"op":"goToDefinition","path":"a.x","name":"two"}`:             "[two on line 2; it is on the lines 1, 2, 21]\na.x:2: two two\n",
		`{"op":"definition","path":"a.x","line":10,"name":"once"}`:      "[once is on line 21]\na.x:21: two once\n",
		`{"operation":"find_references","file":"b.x","symbol":"p.two"}`: "[p.two is on line 1]\na.x\n2: two two\n21: two once\n\nb.x\n1: two\n",
	} {
		if diff := cmp.Diff(want, d.must("symbols", args)); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}
	_, err := d.call("symbols", `{"op":"hover","path":"a.x","line":12,"name":"two"}`, false)
	if want := "a.x:12 does not contain two. It is on the lines 1, 2, 21: give one of them"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// A rename becomes changes like those of edit, and nothing else is accepted.
func TestRename(t *testing.T) {
	skipWindows(t)
	f := newFake()
	f.caps["positionEncoding"] = "utf-16"
	var d *desk
	var edits any
	f.answer = func(_ *fake, method string, _ map[string]any) any {
		if method == "textDocument/rename" {
			return edits
		}
		return nil
	}
	files := map[string]string{"a.x": "𝄞 two = two\r\nend\n", "b.x": "two\n"}
	d = newDesk(t, lsp.Options{Start: starts(t, f), Wait: time.Millisecond}, files)
	document := func(name string, version any, all ...any) map[string]any {
		return map[string]any{"textDocument": map[string]any{"uri": d.uri(name), "version": version}, "edits": all}
	}
	const args = `{"path":"a.x","line":1,"name":"two","to":"2"}`
	for name, c := range map[string]struct {
		edits any
		want  string
	}{
		"outside":     {map[string]any{"changes": map[string]any{"file:///etc/passwd": []any{edit(0, 0, 1, "x")}}}, "the symbol is also in /etc/passwd, outside the working directory"},
		"no file":     {map[string]any{"changes": map[string]any{"http://host/a": []any{edit(0, 0, 1, "x")}}}, `"http://host/a", which is not a file`},
		"create":      {map[string]any{"documentChanges": []any{map[string]any{"kind": "create", "uri": d.uri("c.x")}}}, "wants to create a file"},
		"old version": {map[string]any{"documentChanges": []any{document("a.x", 99, edit(0, 3, 6, "2"))}}, "a.x has changed while the language server worked. Call rename again"},
		"overlap":     {map[string]any{"documentChanges": []any{document("b.x", nil, edit(0, 0, 2, "2"), edit(0, 1, 3, "2"))}}, "edits that overlap"},
		"nothing":     {nil, "the language server cannot rename two there"},
	} {
		edits = c.edits
		if _, err := d.call("rename", args, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	edits = map[string]any{"documentChanges": []any{document("b.x", nil, edit(0, 0, 3, "2")), document("a.x", nil, edit(0, 9, 12, "2"), edit(0, 3, 6, "2"))}}
	c, err := d.tools["rename"].Prepare(t.Context(), json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	want := []tools.Change{{Path: "b.x", Before: []byte("two\n"), After: []byte("2\n")}, {Path: "a.x", Before: []byte(files["a.x"]), After: []byte("𝄞 2 = 2\r\nend\n")}}
	if diff := cmp.Diff(want, c.Changes); diff != "" || c.Effect != tools.Write || c.Title != "rename two to 2 in 2 files" {
		t.Errorf("%s %s: %s", c.Title, c.Effect, diff)
	}
	if err := os.WriteFile(filepath.Join(d.dir, "b.x"), []byte("other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), tools.Approved{Changes: c.Changes}); err == nil {
		t.Error("a file that has changed since the preparation was written")
	}
	d.must("edit", `{"path":"b.x","old":"other","new":"two"}`)
	if got := d.must("rename", args); !strings.Contains(got, "changed a.x") || !strings.Contains(got, "changed b.x") {
		t.Errorf("result: %s", got)
	}
	if got, _ := os.ReadFile(filepath.Join(d.dir, "a.x")); string(got) != "𝄞 2 = 2\r\nend\n" {
		t.Errorf("a.x is now %q", got)
	}
}

// The error for a file that language servers cannot read names its encoding.
func TestFilesThatAreNotUTF8(t *testing.T) {
	skipWindows(t)
	d := newDesk(t, lsp.Options{Start: starts(t, newFake())}, map[string]string{
		"latin.x": "caf\xe9 two\n", "utf16.x": "\xff\xfet\x00w\x00o\x00\n\x00", "binary.x": "two\x00\x01\x80\xff\n",
	})
	for name, want := range map[string]string{
		"latin.x":  "latin.x is text in ISO-8859-1, and language servers read UTF-8. Use search, read and edit, which decode it, or convert it with a command such as iconv",
		"utf16.x":  "utf16.x is text in UTF-16LE, and language servers read UTF-8",
		"binary.x": "binary.x is not UTF-8 text",
	} {
		for tool, args := range map[string]string{"symbols": `{"op":"hover","path":"` + name + `","line":1,"name":"two"}`, "rename": `{"path":"` + name + `","line":1,"name":"two","to":"2"}`} {
			if _, err := d.call(tool, args, false); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %s: %v", tool, name, err)
			}
		}
	}
}

// A call does not wait longer for a server that starts than for an answer. The start goes on.
func TestSlowStart(t *testing.T) {
	skipWindows(t)
	answers := make(chan struct{})
	f := newFake()
	f.answer = func(f *fake, method string, _ map[string]any) any {
		if method == "initialize" {
			select {
			case <-answers:
			case <-f.gone:
			}
			return nil
		}
		return []any{map[string]any{"name": "T", "kind": 23, "selectionRange": span(0, 0, 1)}}
	}
	d := newDesk(t, lsp.Options{Start: starts(t, f), Request: time.Second}, map[string]string{"a.x": "T\n"})
	const outline, slow = `{"op":"outline","path":"a.x"}`, "x is still starting: it did not answer within 1s. Use search and read, and try again later"
	if _, err := d.call("symbols", outline, false); err == nil || err.Error() != slow {
		t.Errorf("got the error %v, want %s", err, slow)
	}
	close(answers)
	result, err := d.call("symbols", outline, false)
	for err != nil && err.Error() == slow {
		result, err = d.call("symbols", outline, false)
	}
	if err != nil || !strings.Contains(result.Text, "T") {
		t.Errorf("got %q, %v after the start", result.Text, err)
	}
}
