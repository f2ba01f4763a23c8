package slash

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/tui/markdown"
)

// copyCommand copies the Markdown source of the last answer, or of a code block in it.
func copyCommand(s *Session, arg string) (tea.Cmd, error) {
	if s.feed.State.Answer == "" {
		s.Say("There is no answer to copy yet.")
		return nil, nil
	}
	if arg == "" {
		return s.Front.Copy(s.feed.State.Answer, "the last answer"), nil
	}
	words := strings.Fields(arg)
	if words[0] != "code" || len(words) > 2 {
		return nil, errors.New("usage: /copy [code [N]]")
	}
	blocks := markdown.CodeBlocks(s.feed.State.Answer)
	if len(blocks) == 0 {
		s.Say("The last answer has no code block.")
		return nil, nil
	}
	n := len(blocks)
	if len(words) == 2 {
		var err error
		if n, err = strconv.Atoi(words[1]); err != nil || n < 1 || n > len(blocks) {
			return nil, errors.New("the last answer has " + phrase.Count(len(blocks), "code block") + ": use a number from 1 to " + strconv.Itoa(len(blocks)))
		}
	}
	what := "the code block"
	if len(blocks) > 1 {
		what = fmt.Sprintf("code block %d of %d", n, len(blocks))
	}
	return s.Front.Copy(blocks[n-1], what), nil
}

// copyWords returns the completions of /copy.
func copyWords(s *Session) []string {
	out := []string{}
	for i := range markdown.CodeBlocks(s.feed.State.Answer) {
		if i == 0 {
			out = append(out, "code")
		}
		out = append(out, "code "+strconv.Itoa(i+1))
	}
	return out
}
