package command

import (
	"slices"
	"strings"
)

// takesText reports whether a program reads a text from its standard input, such as the
// message of a commit, and does nothing else with it.
func (p *Part) takesText() bool {
	if len(p.Argv) < 3 {
		return false
	}
	options := []string{"--file"}
	switch p.Argv[0] {
	case "git":
		if !slices.Contains([]string{"commit", "tag", "notes", "merge"}, p.Argv[1]) {
			return false
		}
	case "gh":
		if !slices.Contains([]string{"pr", "issue", "release"}, p.Argv[1]) {
			return false
		}
		options = []string{"--body-file", "--notes-file"}
	default:
		return false
	}
	for i, w := range p.Argv {
		option, attached := strings.CutSuffix(w, "-")
		if w == "-" {
			option = p.Argv[i-1]
		} else if !attached {
			continue
		}
		short := len(option) > 1 && option[0] == '-' && option[1] != '-' && strings.HasSuffix(option, "F")
		if short || slices.Contains(options, strings.TrimSuffix(option, "=")) {
			return true
		}
	}
	return false
}

// runsInput records that p may run commands of its here-documents, or change something
// because of them.
func (p *Part) runsInput() {
	for i := range p.Redirs {
		if p.Redirs[i].Text != nil {
			p.Redirs[i].Text = nil
			p.needs(0, "it uses a here-document")
		}
	}
}
