package offline

import (
	"fmt"
	"regexp"
	"strings"

	"agent/internal/llm/phrase"
)

const (
	maxShown = 40 // lines of a result in an answer
	maxTail  = 25 // lines of a command's output
)

// trouble tells of a call that did not do what it should.
func trouble(r request, o outcome) string {
	switch {
	case o.absent != "":
		return fmt.Sprintf("Not done: there is no tool %s here, which %s needs.", code(o.absent), code(r.said))
	case o.refused():
		return fmt.Sprintf("Refused, so nothing was done: %s\n\n%s", code(r.said), quoted(o.text))
	}
	advice := ""
	if r.verb == create && strings.Contains(o.text, "use write") {
		advice = fmt.Sprintf("\n\nTo replace what is in it: %s.", code(fmt.Sprintf("write %q to %s", "TEXT", r.path)))
	}
	if r.verb == replace && !r.all && strings.Contains(o.text, "replace_all") {
		advice = fmt.Sprintf("\n\nTo change every one: %s.", code(fmt.Sprintf("replace all %q with %q in %s", r.old, r.new, r.path)))
	}
	return fmt.Sprintf("That failed: %s\n\n%s%s", code(r.said), quoted(o.text), advice)
}

func reportRead(r request, o outcome) string {
	file := numbered(o.text)
	if len(file.lines) == 0 && len(file.notes) == 1 {
		return fmt.Sprintf("%s:\n\n%s", code(r.path), quoted(o.text))
	}
	if len(file.lines) == 0 {
		return fmt.Sprintf("%s holds:\n\n%s", code(r.path), block("", o.text))
	}
	language, fence := languageOf(r.path)
	shown := file.lines[:min(len(file.lines), maxShown)]
	last := file.first + len(file.lines) - 1
	what := phrase.Count(len(file.lines), "line")
	if file.first > 1 || r.last > 0 || strings.Contains(strings.Join(file.notes, "\n"), "offset") {
		what = fmt.Sprintf("lines %d–%d", file.first, last)
	}
	if language != "" {
		what += " of " + language
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s:\n\n%s", code(r.path), what, block(fence, strings.Join(shown, "\n")))
	if n := len(shown); n < len(file.lines) {
		fmt.Fprintf(&b, "\n\n… and %s more: %s", phrase.Count(len(file.lines)-n, "line"),
			code(fmt.Sprintf("read %s lines %d-%d", r.path, file.first+n, min(last, file.first+2*n-1))))
	}
	for _, note := range file.notes {
		switch {
		case !strings.Contains(note, "offset"):
			b.WriteString("\n\n" + quoted(note))
		case r.last == 0: // the tool's own limit
			fmt.Fprintf(&b, "\n\nThe file goes on: %s", code(fmt.Sprintf("read %s lines %d-%d", r.path, last+1, last+maxShown)))
		}
	}
	return b.String()
}

func reportList(r request, o outcome) string {
	where := "The working directory"
	if r.dir != "" {
		where = code(r.dir)
	}
	return where + ":\n\n" + listing(o.text)
}

func reportGlob(r request, o outcome) string {
	return fmt.Sprintf("Files that match %s:\n\n%s", code(r.glob), listing(o.text))
}

func reportFind(r request, o outcome) string {
	where := ""
	if r.glob != "" {
		where = " in " + code(r.glob)
	} else if r.path != "" {
		where = " in " + code(r.path)
	}
	return fmt.Sprintf("Looking for %s%s:\n\n%s", code(r.shown), where, listing(o.text))
}

func reportReplace(r request, o outcome) string {
	return fmt.Sprintf("Done: %s is now %s in %s.", code(r.old), code(r.new), code(r.path)) + aside(o.text)
}

func reportCreate(r request, o outcome) string {
	if r.content == "" {
		return fmt.Sprintf("Done: wrote %s, which is empty.", code(r.path)) + aside(o.text)
	}
	return fmt.Sprintf("Done: wrote %s, %s.", code(r.path), phrase.Count(strings.Count(r.content, "\n"), "line")) + aside(o.text)
}

func reportExtend(r request, o outcome) string {
	return fmt.Sprintf("Done: appended %s to %s.", phrase.Count(strings.Count(r.content, "\n"), "line"), code(r.path)) + aside(o.text)
}

// reportRun tells how a command ended, with its last lines.
func reportRun(r request, o outcome) string {
	lines, how := exit(strings.Split(strings.Trim(o.text, "\n"), "\n"))
	switch {
	case how != "":
		how = "ended with exit code " + how
	case o.failed:
		how = "failed"
	default:
		how = "ran"
	}
	if strings.TrimSpace(strings.Join(lines, "")) == "" {
		return fmt.Sprintf("%s %s and printed nothing.", code(r.command), how)
	}
	more := ":"
	if cut := len(lines) - maxTail; cut > 0 {
		more = fmt.Sprintf(". These are its last %d lines of %d:", maxTail, len(lines))
		lines = lines[cut:]
	}
	return fmt.Sprintf("%s %s%s\n\n%s", code(r.command), how, more, block("", strings.Join(lines, "\n")))
}

// exit takes the exit code out of what the shell tool gave, where its last or
// its first line tells no more than that.
func exit(lines []string) (rest []string, status string) {
	said := regexp.MustCompile(`(?i)^\W*exit(?:ed)?(?: with)?(?: code| status)?\W+(-?\d+)\W*$`)
	last := len(lines) - 1
	if m := said.FindStringSubmatch(lines[last]); m != nil {
		return lines[:last], m[1]
	}
	if m := said.FindStringSubmatch(lines[0]); m != nil {
		return lines[1:], m[1]
	}
	return lines, ""
}

func reportRemove(r request) string {
	return fmt.Sprintf("No tool deletes files, and I choose no such command by myself. Say it if you mean it: %s", code("run rm -- "+r.path))
}

// offer begins the list of what can be asked.
const offer = "I follow simple requests:"

// welcome tells what can be asked.
func (t *turn) welcome() string {
	t.told = true
	var b strings.Builder
	b.WriteString(offer + "\n\n")
	some := false
	for _, u := range usages() {
		if t.tools[u.tool] {
			some = true
			b.WriteString("- " + code(u.usage) + "\n")
		}
	}
	if !some {
		return "I follow simple requests about files, but there are no tools here that I could use."
	}
	b.WriteString("\nSeveral go into one prompt: a line each, or with `then` or `;` between them. I cannot explain code, write it or reason about it.")
	return b.String()
}

// puzzled tells that a request was not understood, and how it may be meant.
func (t *turn) puzzled(r request) string {
	said := clip(strings.Join(strings.Fields(r.said), " "), 100)
	if said == "" {
		return t.welcome()
	}
	word, _, _ := strings.Cut(strings.ToLower(said), " ")
	var near []string
	for _, u := range usages() {
		if t.tools[u.tool] && strings.HasPrefix(u.usage, word+" ") {
			near = append(near, code(u.usage))
		}
	}
	if len(near) > 0 {
		return fmt.Sprintf("I did not understand %s. With %s I understand: %s.", code(said), code(word), strings.Join(near, ", "))
	}
	how := "Say `help` to see what I follow."
	if !t.told {
		how = t.welcome()
	}
	return fmt.Sprintf("I did not understand %s, and did nothing about it. That takes a language model. %s", code(said), how)
}
