package adopt

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// claudeDiffs returns the diffs of a call of Claude Code, from the toolUseResult of
// its line.
func claudeDiffs(result json.RawMessage, dir string) []event.Diff {
	var r struct {
		Type    string `json:"type"`
		Path    string `json:"filePath"`
		Content string `json:"content"`
		Hunks   []struct {
			OldStart int      `json:"oldStart"`
			OldLines int      `json:"oldLines"`
			NewStart int      `json:"newStart"`
			NewLines int      `json:"newLines"`
			Lines    []string `json:"lines"`
		} `json:"structuredPatch"`
	}
	if json.Unmarshal(result, &r) != nil || r.Path == "" {
		return nil
	}
	d := event.Diff{Path: relativeTo(dir, r.Path), Created: r.Type == "create"}
	var b strings.Builder
	line := func(text string) {
		switch {
		case strings.HasPrefix(text, "+"):
			d.Added++
		case strings.HasPrefix(text, "-"):
			d.Removed++
		}
		b.WriteString(strings.ReplaceAll(text, "\n", "␊") + "\n")
	}
	for _, h := range r.Hunks {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		for _, l := range h.Lines {
			line(l)
		}
	}
	if d.Created && len(r.Hunks) == 0 && r.Content != "" {
		fmt.Fprintf(&b, "@@ -0,0 +1,%d @@\n", countLines(r.Content))
		for l := range strings.SplitSeq(strings.TrimSuffix(r.Content, "\n"), "\n") {
			line("+" + l)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	d.Unified = b.String()
	return []event.Diff{d}
}

// relativeTo returns name relative to dir if it is below dir.
func relativeTo(dir, name string) string {
	if rest, ok := strings.CutPrefix(path.Clean(name), path.Clean(dir)+"/"); ok && dir != "" {
		return rest
	}
	return name
}

// images decodes an image; nil if its type or data is not supported.
func images(mediaType, data string, left *tally) []llm.Image {
	raw, err := base64.StdEncoding.DecodeString(data)
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if err == nil && len(raw) > 0 {
			return []llm.Image{{MediaType: mediaType, Data: raw}}
		}
	}
	left.add("images that could not be read")
	return nil
}

// countLines returns the number of lines in text.
func countLines(text string) int {
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}
