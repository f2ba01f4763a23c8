package tools_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNotebooksAreShownAsCells(t *testing.T) {
	content := pngOf(t, plain(40, 30))
	picture := base64.StdEncoding.EncodeToString(content)
	const numbered = "Line numbers are those of this text; edit and search work on the JSON file)\n"
	for name, c := range map[string]struct {
		content, want string
		images        int
	}{
		"version 4": {
			content: `{"nbformat": 4, "metadata": {"language_info": {"name": "python"}}, "cells": [
				{"cell_type": "markdown", "source": ["# Title\n", "text"]},
				{"cell_type": "code", "execution_count": 3, "source": "print(1)\nplot()", "outputs": [
					{"output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"]},
					{"output_type": "display_data", "data": {"text/plain": "<Figure>", "text/html": "<b>x</b>", "image/png": "` + picture + `"}},
					{"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["\u001b[0;31mValueError\u001b[0m: bad"]}
				]},
				{"cell_type": "code", "execution_count": null, "source": [], "outputs": []}]}`,
			want: withNumbers("--- cell 1: markdown ---", "# Title", "text", "--- cell 2: code [3] ---", "print(1)", "plot()",
				"--- output: stdout ---", "1", "2",
				"--- output: display_data ---", "<Figure>", fmt.Sprintf("(image/png, %d bytes)", len(content)), "(text/html, 10 bytes of JSON, not shown)",
				"--- output: error ---", "ValueError: bad", "ValueError: bad", "--- cell 3: code ---") +
				"(1 image of these lines included, in order)\n(notebook of 3 cells python. " + numbered,
			images: 1,
		},
		"version 3": {
			content: `{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["1+1"], "outputs": [{"output_type": "pyout", "text": ["2"]}]}]}]}`,
			want:    withNumbers("--- cell 1: code ---", "1+1", "--- output: pyout ---", "2") + "(notebook of 1 cell. " + numbered,
		},
		"long output": {
			content: `{"cells": [{"cell_type": "code", "outputs": [{"output_type": "stream", "name": "stderr", "text": "` + strings.Repeat(`line\n`, 2000) + `"}]}]}`,
			want: withNumbers(append(append([]string{"--- cell 1: code ---", "--- output: stderr ---"}, strings.Split(strings.Repeat("line\n", 1600), "\n")[:1600]...),
				"[truncated: 2000 bytes more of this output]")...) + "(notebook of 1 cell. " + numbered,
		},
		"a broken image": {
			content: `{"cells": [{"cell_type": "code", "outputs": [{"output_type": "display_data", "data": {"image/png": "AAAA"}}]}]}`,
			want: withNumbers("--- cell 1: code ---", "--- output: display_data ---", "(image/png, 3 bytes)") +
				"(1 image of these lines omitted: invalid, or too many)\n(notebook of 1 cell. " + numbered,
		},
		"an odd cell": {
			content: `{"cells": [{"cell_type": "code", "source": 7, "execution_count": "x", "outputs": [{"text": "out"}]}, {"cell_type": "raw", "source": "r"}]}`,
			want:    withNumbers("--- cell 1: code [0] ---", "7", "--- output:  ---", "out", "--- cell 2: raw ---", "r") + "(notebook of 2 cells. " + numbered,
		},
		"no JSON":  {"{\n", "1\t{\n(not shown as a notebook: unexpected end of JSON input)\n", 0},
		"no cells": {"{}\n", "1\t{}\n(not shown as a notebook: the notebook has no cells)\n", 0},
		"a list":   {"[1]\n", "1\t[1]\n(not shown as a notebook: the notebook has no cells)\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			ws, _ := newWorkspace(t, map[string]string{"n.ipynb": c.content})
			r, err := call(t, ws, "read", obj{"path": "n.ipynb"})
			if diff := cmp.Diff(textOf(r, err), c.want); diff != "" || len(r.Images) != c.images {
				t.Errorf("%d images, want %d; got (-), want (+):\n%s", len(r.Images), c.images, diff)
			}
		})
	}
}

// A page in the middle of a notebook has the images of its cells.
func TestAPageOfANotebook(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString(pngOf(t, plain(40, 30)))
	output := obj{"output_type": "display_data", "data": obj{"image/png": picture}}
	var cells []obj
	for range 8 {
		cells = append(cells, obj{"cell_type": "code", "source": "plot()", "outputs": []obj{output}})
	}
	b, err := json.Marshal(obj{"cells": cells})
	if err != nil {
		t.Fatal(err)
	}
	ws, _ := newWorkspace(t, map[string]string{"n.ipynb": string(b)})
	for _, c := range []struct {
		offset, limit, images int
		want                  string
	}{
		{1, 3, 0, "[lines 1-3 of 32]\n(notebook"},
		{4, 5, 2, "[lines 4-8 of 32]\n(2 images of these lines included, in order)\n(notebook"},
		{9, 0, 4, "(end of the file)\n(4 images of these lines included, in order)\n(2 images of these lines omitted: invalid, or too many)\n(notebook"},
		{33, 0, 0, "n.ipynb as text has 32 lines. Give an offset within the file"},
	} {
		r, err := call(t, ws, "read", obj{"path": "n.ipynb", "offset": c.offset, "limit": c.limit})
		if got := textOf(r, err); !strings.Contains(got, c.want) || len(r.Images) != c.images {
			t.Errorf("from %d: got %d images, …%q, want %d and %q", c.offset, len(r.Images), got[max(len(got)-300, 0):], c.images, c.want)
		}
	}
}

// withNumbers numbers lines as read does.
func withNumbers(all ...string) string {
	var b strings.Builder
	for i, l := range all {
		fmt.Fprintf(&b, "%d\t%s\n", i+1, l)
	}
	return b.String()
}
