package offline

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"agent/internal/llm/phrase"
)

const (
	maxShown = 40 // maximum lines of a result in an answer
	maxTail  = 25 // maximum lines of a command's output
)

// failure reports a call that failed.
func failure(r request, o outcome) string {
	switch {
	case o.absent:
		return fmt.Sprintf("Skipped %s: it needs the tool %s, which is not available.", code(r.text), code(r.tool))
	case o.rejected():
		return fmt.Sprintf("Rejected: %s\n\n%s", code(r.text), block("", strings.TrimSpace(o.text)))
	}
	advice := ""
	if r.verb == replace && r.all == "" && strings.Contains(o.text, "replace_all") {
		advice = fmt.Sprintf("\n\nTo replace all of them: %s.", code(fmt.Sprintf("replace all %q with %q in %s", r.old, r.new, r.path)))
	}
	return fmt.Sprintf("Failed: %s\n\n%s%s", code(r.text), block("", strings.TrimSpace(o.text)), advice)
}

func reportRead(r request, o outcome) string {
	file := numbered(o.text)
	if len(file.lines) == 0 {
		return fmt.Sprintf("%s:\n\n%s", code(r.path), block("", strings.TrimSpace(o.text)))
	}
	last := file.first + len(file.lines) - 1
	what := phrase.Count(len(file.lines), "line")
	if file.first > 1 || r.last > 0 || strings.Contains(file.notes, "offset") {
		what = fmt.Sprintf("lines %d–%d", file.first, last)
	}
	shown := file.lines[:min(len(file.lines), maxShown)]
	out := fmt.Sprintf("%s, %s:\n\n%s", code(r.path), what, block(strings.TrimPrefix(path.Ext(r.path), "."), strings.Join(shown, "\n")))
	if next := file.first + len(shown); next <= last || r.last == 0 && strings.Contains(file.notes, "offset") {
		return out + fmt.Sprintf("\n\nTo read on: %s", code(fmt.Sprintf("read %s lines %d-%d", r.path, next, next+maxShown-1)))
	}
	if file.notes != "" && !strings.Contains(file.notes, "offset") {
		out += "\n\n" + block("", file.notes)
	}
	return out
}

func reportList(r request, o outcome) string {
	where := "The working directory"
	if r.path != "" {
		where = code(r.path)
	}
	return where + ":\n\n" + listing(o.text)
}

func reportGlob(r request, o outcome) string {
	return fmt.Sprintf("Files that match %s:\n\n%s", code(r.glob), listing(o.text))
}

func reportFind(r request, o outcome) string {
	where := cmp.Or(r.glob, r.path)
	if where != "" {
		where = " in " + code(where)
	}
	return fmt.Sprintf("Search for %s%s:\n\n%s", code(r.pattern), where, listing(o.text))
}

// checkIt ends the report of an edit.
const checkIt = " To test it, type `run tests`; to undo it, `/undo`."

func reportReplace(r request, o outcome) string {
	return fmt.Sprintf("Done: %s is now %s in %s.", code(r.old), code(r.new), code(r.path)) + aside(o.text) + checkIt
}

func reportCreate(r request, o outcome) string {
	return fmt.Sprintf("Done: wrote %s, %s.", code(r.path), phrase.Count(strings.Count(r.content, "\n"), "line")) + aside(o.text) + checkIt
}

// reportRun reports how a command ended, with the last lines of its output.
func reportRun(r request, o outcome) string {
	lines := strings.Split(strings.Trim(o.text, "\n"), "\n")
	how := "ran"
	if status, ok := strings.CutPrefix(lines[len(lines)-1], "[exit "); ok {
		code, parts, _ := strings.Cut(strings.TrimSuffix(status, "]"), ";")
		how = "exited with code " + code
		if parts != "" {
			how += " (" + strings.TrimSpace(parts) + ")"
		}
		lines = lines[:len(lines)-1]
	} else if o.failed {
		how = "failed"
	}
	if strings.TrimSpace(strings.Join(lines, "")) == "" {
		return fmt.Sprintf("%s %s and printed nothing.", code(r.command), how)
	}
	more := ":"
	if cut := len(lines) - maxTail; cut > 0 {
		more = fmt.Sprintf(". Last %d of %d lines:", maxTail, len(lines))
		lines = lines[cut:]
	}
	return fmt.Sprintf("%s %s%s\n\n%s", code(r.command), how, more, block("", strings.Join(lines, "\n")))
}

// welcome lists the requests that the tools allow.
func (t *turn) welcome() string {
	var b strings.Builder
	for _, r := range rules() {
		if r.usage != "" && t.tools[r.tool] {
			b.WriteString("- " + code(r.usage) + "\n")
		}
	}
	if b.Len() == 0 {
		return "I follow simple requests about files, but no tools are available."
	}
	return "I follow simple requests:\n\n" + b.String() + "\nI cannot write code, explain it or reason about it."
}

// notUnderstood reports a request that no rule matches.
func (t *turn) notUnderstood(r request) string {
	return fmt.Sprintf("%s needs a language model. %s `help` lists what works without one.", code(clip(r.text, 60)), connect)
}
