package undo

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/git"
	"agent/internal/tools/snapshot"
)

// stateDiffs returns the diffs of the state of git, one for each repository that the plan restores.
func (r *Restorer) stateDiffs(p *Plan, roots *roots) (all []event.Diff) {
	for _, repo := range p.repositories {
		if repo.why != "" {
			continue
		}
		var now, to []string
		for _, it := range repo.items {
			if at, ok := roots.at(it.Path); ok {
				rest := strings.TrimPrefix(filepath.ToSlash(it.Path), filepath.ToSlash(repo.dir)+"/")
				a, b := stateLines(rest, at.wholeNow(), r.wholeContent(it.To))
				now, to = append(now, a...), append(to, b...)
			}
		}
		d := diffs.Of([]tools.Change{{Path: repo.shown, Before: lineText(now), After: lineText(to)}})[0]
		if d.Unified == "" {
			d.Unified = "@@ only reflogs and messages @@\n"
		}
		all = append(all, d)
	}
	return all
}

// wholeNow returns the content of the file at p; nil if there is none.
func (p rootPath) wholeNow() []byte {
	content, err := p.read()
	if err != nil {
		return nil
	}
	return content
}

// wholeContent returns the content of a file of the pack; nil if it is none.
func (r *Restorer) wholeContent(s snapshot.State) []byte {
	if s.Kind != snapshot.File {
		return nil
	}
	content, err := r.pack.Read(s.Hash)
	if err != nil {
		return nil
	}
	return content
}

// lineText returns lines as a text, sorted.
func lineText(lines []string) []byte {
	slices.Sort(lines)
	var out bytes.Buffer
	for _, l := range slices.Compact(lines) {
		fmt.Fprintln(&out, l)
	}
	return append([]byte{}, out.Bytes()...) // not nil
}

// stateLines describes two contents of a path in a git directory, for the user.
func stateLines(rest string, now, to []byte) (a, b []string) {
	if inner, _ := snapshot.GitState(rest); inner != "" {
		a, b = stateLines(strings.TrimPrefix(rest, inner+"/"), now, to)
		for _, lines := range [][]string{a, b} {
			for i := range lines {
				lines[i] = inner + ": " + lines[i]
			}
		}
		return a, b
	}
	if rest == "index" {
		return stagedLines(now, to)
	}
	return stateOf(rest, now), stateOf(rest, to)
}

// stateOf describes the content of a path in a git directory other than an index.
func stateOf(rest string, content []byte) (lines []string) {
	first, _, _ := strings.Cut(rest, "/")
	switch text := strings.TrimSpace(string(content)); {
	case content == nil:
		return nil
	case rest == "logs/refs/stash":
		return []string{"stash: " + phrase.Count(bytes.Count(content, []byte("\n")), "entry")}
	case first == "logs" || strings.HasSuffix(rest, "_MSG") || rest == "refs/stash":
		return nil
	case first == "config" || first == "info" || first == "packed-refs":
		for line := range strings.Lines(text) {
			lines = append(lines, rest+": "+strings.TrimSpace(line))
		}
		return lines
	case first == "rebase-merge" || first == "rebase-apply" || first == "sequencer":
		return []string{"in progress: " + first}
	case git.IsObjectID(text) || strings.HasPrefix(text, "ref: "):
		return []string{refName(rest) + ": " + shortID(text)}
	default:
		return []string{fmt.Sprintf("%s: %s, %.6x", rest, phrase.Bytes(int64(len(content))), sha256.Sum256(content))}
	}
}

// refName names a reference for the user.
func refName(rest string) string {
	for prefix, kind := range map[string]string{"refs/heads/": "branch ", "refs/tags/": "tag ", "refs/remotes/": "remote branch "} {
		if name, ok := strings.CutPrefix(rest, prefix); ok {
			return kind + name
		}
	}
	return rest
}

// shortID shortens the ID of an object, and the name of a branch.
func shortID(text string) string {
	if git.IsObjectID(text) {
		return text[:12]
	}
	return strings.TrimPrefix(text, "ref: refs/heads/")
}

// stagedLines describes the entries in which two contents of an index differ.
func stagedLines(now, to []byte) (a, b []string) {
	lines := func(index []byte) map[string]bool {
		all := map[string]bool{}
		entries, err := git.StagedEntries(index)
		if err != nil && index != nil {
			all["staged files: "+phrase.Bytes(int64(len(index)))] = true
		}
		for _, e := range entries {
			all[fmt.Sprintf("staged %s: %o %s", e.Path, e.Mode, shortID(e.ID))] = true
		}
		return all
	}
	x, y := lines(now), lines(to)
	for l := range x {
		if !y[l] {
			a = append(a, l)
		}
	}
	for l := range y {
		if !x[l] {
			b = append(b, l)
		}
	}
	return a, b
}
