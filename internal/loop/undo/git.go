package undo

import (
	"slices"
	"strings"

	"agent/internal/tools/git"
)

// head is the branch or commit that is checked out in a repository.
type head struct {
	Branch string `json:"branch,omitempty"` // empty for a commit without a branch
	Commit string `json:"commit,omitempty"`
}

// readHeads returns the heads of the repositories of dirs. It runs no program.
func readHeads(dirs []string) map[string]head {
	heads := map[string]head{}
	for _, dir := range dirs {
		if r, ok := git.Open(dir); ok {
			var h head
			if h.Branch, h.Commit = r.Head(); h != (head{}) {
				heads[dir] = h
			}
		}
	}
	return heads
}

// tipOf returns the last commit of a branch; empty if it is unknown.
func tipOf(dir, branch string) string {
	r, ok := git.Open(dir)
	if !ok {
		return ""
	}
	return r.Tip(branch)
}

// gitCommands returns the commands that undo commits and switches of branches of steps,
// for the user, if the plan does not undo them. They leave the files of the working tree as they
// are, except for switches.
func (p *Plan) gitCommands(h *history, steps []*step, dirs []string) (commands []string) {
	if slices.ContainsFunc(p.repositories, func(r repository) bool { return r.why == "" }) {
		return nil
	}
	now := readHeads(dirs)
	for _, dir := range dirs {
		old, moved := firstMove(h, steps, dir, now[dir])
		if !moved || old == now[dir] {
			continue
		}
		run := "git "
		if dir != dirs[0] {
			run = "git -C " + quote(dir) + " "
		}
		switch {
		case old.Branch == now[dir].Branch && old.Commit != "":
			commands = append(commands, run+"reset --soft "+old.Commit)
		case old.Branch != "" && old.Branch[0] != '-': // git would take it for an option
			commands = append(commands, run+"switch "+quote(old.Branch))
			if tip := tipOf(dir, old.Branch); tip != "" && old.Commit != "" && tip != old.Commit {
				commands = append(commands, run+"reset --soft "+old.Commit)
			}
		case old.Commit != "":
			commands = append(commands, run+"switch --detach "+old.Commit)
		}
	}
	return commands
}

// firstMove returns the head of dir before the first of steps that moved it.
func firstMove(h *history, steps []*step, dir string, now head) (old head, ok bool) {
	for _, s := range steps {
		before, known := s.heads[dir]
		if !known {
			continue
		}
		after, known := s.left[dir]
		if s.left == nil {
			after, known = h.nextHead(s, dir, now), true
		}
		if known && before != after {
			return before, true
		}
	}
	return head{}, false
}

// nextHead returns the head of dir when the step after s began. Now is the current one.
func (h *history) nextHead(s *step, dir string, now head) head {
	for _, next := range h.steps[slices.Index(h.steps, s)+1:] {
		if at, ok := next.heads[dir]; ok {
			return at
		}
	}
	return now
}

// quote returns a word for a shell.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@:,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
