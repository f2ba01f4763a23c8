package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
)

// sizeOf returns the size of the changes or of a long command, for the title line.
func sizeOf(ask event.Ask) []string {
	if len(ask.Diffs) == 1 {
		return []string{phrase.Count(diff.Hunks(ask.Diffs[0]), "hunk") + ", " + diff.Stat(ask.Diffs[0])}
	}
	if len(ask.Diffs) > 1 {
		sum := event.Diff{}
		for _, d := range ask.Diffs {
			sum.Added, sum.Removed = sum.Added+d.Added, sum.Removed+d.Removed
		}
		return []string{phrase.Count(len(ask.Diffs), "file") + ", " + diff.Stat(sum)}
	}
	if c := commandOf(ask); c != nil {
		if size := commandSize(c.Value); size != "" {
			return []string{size}
		}
	}
	return nil
}

// commandSize returns the size of a long command, empty for a short one.
func commandSize(command string) string {
	const lines, bytes = 10, 1 << 10
	n := strings.Count(strings.TrimSuffix(command, "\n"), "\n") + 1
	if n <= lines && len(command) <= bytes {
		return ""
	}
	size := fmt.Sprintf("%d B", len(command))
	if len(command) >= 1<<10 {
		size = fmt.Sprintf("%.1f KB", float64(len(command))/(1<<10))
	}
	return phrase.Count(n, "line") + ", " + size
}

// commandOf returns the command that needs approval, nil if ask is not about a
// command.
func commandOf(ask event.Ask) *event.Target {
	if len(ask.Targets) != 1 || ask.Targets[0].Kind != event.CommandTarget {
		return nil
	}
	return &ask.Targets[0]
}

// exact reports whether ask is about a command or a call whose text must be read
// completely before it is approved.
func exact(ask event.Ask) bool {
	return len(ask.Targets) == 1 && (ask.Targets[0].Kind == event.CommandTarget || ask.Targets[0].Kind == event.MCPTarget)
}

// QuestionText returns the question as one sentence that is safe to draw. It names the
// delegate that asks.
func QuestionText(ask event.Ask, short func(string) string) string {
	text := questionOf(ask, short)
	if ask.Agent != "" {
		text = ExactLine(ask.Agent) + ": " + text
	}
	return text
}

// questionOf returns the question without the delegate that asks.
func questionOf(ask event.Ask, short func(string) string) string {
	switch {
	case ask.Form != nil:
		return formText(ask.Form)
	case ask.Question != "":
		return ink.Sanitize(ask.Question)
	case ask.Plan != "":
		return "Approve this plan?"
	case ask.AboutTurn():
		return ink.SanitizeLine(ask.Title)
	case confirmsAgent(ask):
		return ExactLine(ask.Title)
	}
	if c := commandOf(ask); c != nil {
		return askCommandLine(ask, *c, short)
	}
	if len(ask.Targets) == 1 && ask.Targets[0].Kind == event.HostTarget {
		return "Send a request to " + ExactLine(ask.Targets[0].Value) + "?"
	}
	if len(ask.Targets) == 1 && ask.Targets[0].Kind == event.MCPTarget {
		server, tool, _ := strings.Cut(ask.Targets[0].Value, "/")
		return "Call " + ExactLine(phrase.Quoted(tool)) + " of the MCP server " + ExactLine(server) + "?"
	}
	if len(ask.Diffs) == 1 {
		switch d := ask.Diffs[0]; {
		case d.Created:
			return "Create " + ExactLine(d.Path) + "?"
		case d.Deleted:
			return "Delete " + ExactLine(d.Path) + "?"
		case RequestOf(ask.Title) == d.Path:
			return "Edit " + ExactLine(d.Path) + "?"
		}
	}
	return sentence(ExactLine(ask.Title)) + "?"
}

// confirmsAgent reports whether the user confirms an agent of the repository.
func confirmsAgent(ask event.Ask) bool {
	return ask.Effect == event.DelegateEffect && strings.HasSuffix(ask.Title, "?")
}

// namesFile reports whether the question names the file of its only diff.
func namesFile(ask event.Ask) bool {
	d := ask.Diffs[0]
	return ask.Effect != event.DelegateEffect && (d.Created || d.Deleted || RequestOf(ask.Title) == d.Path)
}

// askCommandLine returns the question about a command, which the body shows.
func askCommandLine(ask event.Ask, c event.Target, short func(string) string) string {
	lead := leadOf(ask.Title, c)
	text := "Run this command"
	if strings.Contains(lead, " ") { // the title says more than "shell"
		text = sentence(strings.TrimRight(ExactLine(lead), ":"))
	} else if lead != "shell" && strings.HasPrefix(ask.Title, lead+" {") { // a custom tool with its arguments
		text += " of the tool " + ExactLine(lead)
	}
	if ask.Rerun && ask.Port == 0 {
		text += " again"
	}
	if c.Dir != "" {
		text += " in " + ExactLine(short(c.Dir))
	}
	switch {
	case ask.Rerun && ask.NotUndoable != "":
	case ask.Rerun && ask.Reach == event.ReachAll:
		text += " outside the sandbox"
	case ask.Rerun && ask.Reach == event.ReachHome:
		text += " with your home directory readable"
	case ask.Rerun, ask.Effect == event.NetworkEffect: // a custom tool with the network
		text += " with the network"
	}
	return text + "?"
}

// ReasonText says why a command failed that would run again, or what a command would reach
// outside the usual sandbox. It is safe to draw, and empty for other questions.
func ReasonText(ask event.Ask) string {
	text := reasonText(ask)
	if ask.Request {
		text = strings.TrimSpace(text + " " + requestText(ask))
	}
	if ask.Undoes != "" {
		text += " Before it runs again, the changes of the first run are undone: " + ExactLine(ask.Undoes) + "."
	}
	if ask.Stay != "" {
		text += " The changes of the first run stay: " + ExactLine(ask.Stay) + "."
	}
	if ask.StayWhy != "" {
		text += " They cannot be undone: " + ExactLine(ask.StayWhy) + "."
	}
	return text
}

// requestText returns why the model asks for access, marked as its words.
func requestText(ask event.Ask) string {
	if ask.Reason == "" {
		return "The model gives no reason."
	}
	return "The model's reason: \"" + ExactLine(ask.Reason) + "\""
}

func reasonText(ask event.Ask) string {
	switch {
	case ask.Rerun && ask.NotUndoable != "":
		return "It tried to change " + cmp.Or(ExactLine(ask.Blocked), "a file") + ", which cannot be undone: " + ExactLine(ask.NotUndoable) + "."
	case ask.Rerun && ask.Reach == event.ReachHome:
		return "It failed because " + ExactLine(ask.Blocked) + " is in your home directory, which commands that you did not approve cannot see. In the sandbox it can then read all your files but credentials."
	case ask.Rerun && ask.Blocked != "":
		return "It failed because the sandbox blocks access to " + ExactLine(ask.Blocked) + "."
	case ask.Rerun && ask.Port > 0:
		return fmt.Sprintf("It listens on port %d, which only commands of this session can reach. With the network, your browser can reach it too, and the job can connect to any server.", ask.Port)
	case ask.Rerun && ask.Address != "":
		return "It failed because it has no network in the sandbox: it tried to connect to " + ExactLine(ask.Address) + ". With the network, it can connect to any server."
	case ask.Rerun:
		return "It failed because it has no network in the sandbox. With the network, it can connect to any server."
	case ask.Reach == event.ReachAll:
		return "If you approve this command, it runs without the sandbox."
	}
	var can []string
	if len(ask.Writes) > 0 {
		var files, dirs []string
		for _, path := range ask.Writes {
			if dir, ok := strings.CutSuffix(path, "/"); ok {
				dirs = append(dirs, ExactLine(dir))
			} else {
				files = append(files, ExactLine(path))
			}
		}
		if files != nil {
			can = append(can, "change "+strings.Join(files, ", "))
		}
		if dirs != nil {
			can = append(can, "create, change and delete files in "+strings.Join(dirs, ", "))
		}
	}
	if ask.Reach == event.ReachNetwork {
		can = append(can, "use the network")
	}
	if can == nil {
		return ""
	}
	return "If you approve this command, it can " + strings.Join(can, " and ") + "."
}

// ExactLine is ink.Exact for text that must stay on one line. It marks runs of
// space, in which text could hide.
func ExactLine(s string) string { return ink.MarkSpaces(strings.ReplaceAll(ink.Exact(s), "\n", "⏎")) }

// sentence returns text with an uppercase first letter.
func sentence(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 || r == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(r)) + text[n:]
}

// leadOf returns the part of a title before the command.
func leadOf(title string, c event.Target) string {
	text := title
	if i := strings.LastIndex(title, " (+"); i > 0 { // the number of further lines
		text = title[:i]
	}
	text = strings.TrimSuffix(text, "…")
	for i := range text {
		if i > 0 && text[i-1] == ' ' && strings.HasPrefix(c.Value, text[i:]) {
			return strings.TrimRight(text[:i], " ")
		}
	}
	verb, _, _ := strings.Cut(title, " ")
	if before, _, ok := strings.Cut(title, ": "); ok && !strings.HasPrefix(c.Value, verb) {
		return before
	}
	return verb
}

// RequestOf returns a title without its verb.
func RequestOf(title string) string {
	if _, rest, ok := strings.Cut(title, " "); ok {
		return rest
	}
	return title
}

// ReasonOf returns the reason for a question, empty if a part of a warning says the same.
func ReasonOf(ask event.Ask) string {
	plain := func(s string) string { return strings.ToLower(strings.TrimRight(strings.TrimSpace(s), ".")) }
	for _, w := range ask.Warnings {
		if slices.ContainsFunc(strings.Split(w, "; "), func(part string) bool { return plain(part) == plain(ask.Why) }) {
			return ""
		}
	}
	return ask.Why
}

// WarningsOf returns the warnings of a question, including one about misleading
// characters, which are drawn as escapes.
func WarningsOf(ask event.Ask) []string {
	if ask.Form != nil {
		return ask.Warnings
	}
	parts := []string{ask.Scope, ask.Reason}
	if !ask.Chooses() && ask.Plan == "" {
		parts = append(parts, ask.Title)
	}
	for _, t := range ask.Targets {
		parts = append(parts, t.Value, t.Dir, t.Input)
	}
	for _, d := range ask.Diffs {
		parts = append(parts, d.Path)
	}
	warnings := slices.Clone(ask.Warnings)
	if ask.Reach == event.ReachAll {
		warnings = append(warnings, "outside the sandbox it can change all your files and use the network")
	}
	if !slices.ContainsFunc(append(parts, ask.Blocked), ink.HasConfusables) {
		return warnings
	}
	return append(warnings, "contains hidden characters, or characters that look like others")
}

// ScopeIsCommand reports whether the scope of row 2 is exactly the command in the
// question.
func ScopeIsCommand(ask event.Ask) bool {
	c := commandOf(ask)
	return c != nil && !ask.Project && strings.Contains(ask.Scope, c.Value)
}

// IsApproval reports whether ask is a permission request for a tool call.
func IsApproval(ask event.Ask) bool {
	return !ask.AboutTurn() && !ask.Chooses() && ask.Plan == "" && ask.Form == nil
}

// routine reports whether ask is an approval that a user may answer soon after another
// one. A question that follows from an answer to the same call is not: a second press of
// the same key must not give the command more access.
func routine(ask event.Ask) bool { return IsApproval(ask) && !ask.Rerun }
