package offline

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/phrase"
)

const maxWidth = 200 // runes of a line in an answer

// page is what the read tool gave: the lines of the file, and what it said
// about them.
type page struct {
	first int // number of the first line
	lines []string
	notes []string
}

// numbered takes a page with numbered lines apart.
func numbered(text string) page {
	number := regexp.MustCompile(`^\s*(\d+)(?:\t| ?[│|→:] ?)(.*)$`)
	var p page
	next := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		m := number.FindStringSubmatch(line)
		n := 0
		if m != nil {
			n, _ = strconv.Atoi(m[1]) // too many digits are not the number that comes next
		}
		switch {
		case n > 0 && (next == 0 || n == next):
			if next == 0 {
				p.first = n
			}
			p.lines = append(p.lines, m[2])
			next = n + 1
		case next > 0 && n == 0 && line == strconv.Itoa(next):
			p.lines = append(p.lines, "") // an empty line whose separator was trimmed
			next++
		case strings.TrimSpace(line) != "":
			p.notes = append(p.notes, strings.TrimSpace(line))
		}
	}
	return p
}

// code is s as inline code, on one line.
func code(s string) string {
	s = clip(strings.Join(strings.Split(s, "\n"), "⏎"), maxWidth)
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	ticks := strings.Repeat("`", longestRun(s)+1)
	return ticks + " " + s + " " + ticks
}

// block is text as a fenced block, with long lines cut.
func block(language, text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = clip(l, maxWidth)
	}
	ticks := strings.Repeat("`", max(3, longestRun(text)+1))
	return ticks + language + "\n" + strings.Join(lines, "\n") + "\n" + ticks
}

// longestRun is the length of the longest run of backquotes in s.
func longestRun(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// listing is a result of many lines, cut after the first few.
func listing(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) == 1 && strings.Contains(strings.TrimSpace(text), " ") {
		return quoted(text)
	}
	if more := len(lines) - maxShown; more > 0 {
		return block("", strings.Join(lines[:maxShown], "\n")) + fmt.Sprintf("\n\n… and %s more.", phrase.Count(more, "line"))
	}
	return block("", text)
}

// quoted is what somebody else said: as a quotation, or as a block where its
// characters would be taken for markdown.
func quoted(text string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "*_`<[\\") {
		return block("", text)
	}
	if text == "" {
		return "> (nothing)"
	}
	lines := strings.Split(text, "\n")
	if more := len(lines) - maxTail; more > 0 {
		lines = append(lines[:maxTail], fmt.Sprintf("… and %s more", phrase.Count(more, "line")))
	}
	for i, l := range lines {
		lines[i] = "> " + clip(l, 2*maxWidth)
	}
	return strings.Join(lines, "\n")
}

// aside is what a tool said about its success after the first sentence, which
// tells no more than the answer does.
func aside(text string) string {
	_, more, _ := strings.Cut(strings.TrimSpace(text), ". ")
	if more == "" || strings.Contains(more, "\n") || len(more) > maxWidth {
		return ""
	}
	return " " + more
}

// clip cuts s to n runes.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// languageOf names the language of a file and how a fence is marked with it.
func languageOf(file string) (name, fence string) {
	switch strings.ToLower(path.Base(file)) {
	case "makefile":
		return "Make", "make"
	case "dockerfile":
		return "Dockerfile", "dockerfile"
	}
	switch ext := strings.ToLower(path.Ext(file)); ext {
	case ".go":
		return "Go", "go"
	case ".rs":
		return "Rust", "rust"
	case ".py":
		return "Python", "python"
	case ".js", ".mjs", ".cjs", ".jsx":
		return "JavaScript", "javascript"
	case ".ts", ".tsx":
		return "TypeScript", "typescript"
	case ".java":
		return "Java", "java"
	case ".kt":
		return "Kotlin", "kotlin"
	case ".c", ".h":
		return "C", "c"
	case ".cc", ".cpp", ".hpp", ".cxx":
		return "C++", "cpp"
	case ".cs":
		return "C#", "csharp"
	case ".rb":
		return "Ruby", "ruby"
	case ".php":
		return "PHP", "php"
	case ".swift":
		return "Swift", "swift"
	case ".sh", ".bash":
		return "shell", "sh"
	case ".html", ".css", ".sql", ".json", ".xml":
		return strings.ToUpper(ext[1:]), ext[1:]
	case ".yaml", ".yml":
		return "YAML", "yaml"
	case ".toml":
		return "TOML", "toml"
	case ".md":
		return "Markdown", "markdown"
	}
	return "", ""
}
