package evidence

import (
	"slices"
	"strings"
)

// readers are programs that change no files with any arguments.
var readers = strings.Fields(`ls cat head tail grep egrep fgrep rg wc echo printf pwd cd true false test [ [[ : which type date
	sleep kill wait lsof ss netstat nc http.server cut tr diff cmp stat file du df ps basename dirname realpath readlink seq whoami uname id exit return set export unset nl column less jq`)

// writesFile reports whether a word can be an option of curl that writes a file.
func writesFile(word string) bool {
	if long, ok := strings.CutPrefix(word, "--"); ok {
		return !slices.Contains(strings.Fields("silent show-error fail fail-with-body head include location verbose max-time connect-timeout retry request header data data-raw data-binary json user insecure get compressed globoff"), strings.SplitN(long, "=", 2)[0])
	}
	return word == "" || strings.HasPrefix(word, "-") && strings.ContainsAny(word[1:], "oOJcDKT")
}

// readOnly reports whether a command certainly changes no files of the workspace.
func readOnly(words []string) bool {
	if len(words) == 0 {
		return true
	}
	rest := words[1:]
	switch words[0] {
	case "uniq":
		return !slices.ContainsFunc(rest, func(w string) bool { return !strings.HasPrefix(w, "-") })
	case "sort":
		return !slices.ContainsFunc(rest, func(w string) bool { return w == "" || strings.HasPrefix(w, "-") && strings.Contains(w, "o") })
	case "sed":
		return len(rest) >= 2 && rest[0] == "-n" && rest[1] != "" && strings.Trim(rest[1], "0123456789,$;p ") == "" && !has(rest, "-i", "--in-place")
	case "find":
		return !slices.ContainsFunc(rest, func(w string) bool {
			return w == "" || w == "-delete" || strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") || strings.HasPrefix(w, "-f") && w != "-follow"
		})
	case "git":
		return len(rest) > 0 && slices.Contains([]string{"status", "diff", "log", "show", "rev-parse", "ls-files", "blame", "grep", "describe"}, rest[0]) && !slices.ContainsFunc(rest, func(w string) bool { return strings.HasPrefix(w, "--output") || strings.HasPrefix(w, "-O") })
	case "curl":
		return !slices.ContainsFunc(rest, writesFile)
	case "go":
		return len(rest) > 0 && (slices.Contains([]string{"version", "doc", "list"}, rest[0]) || rest[0] == "env" && !has(rest, "-w", "-u"))
	}
	return slices.Contains(readers, words[0])
}

// has reports whether one of the options is among words.
func has(words []string, options ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(options, w) })
}
