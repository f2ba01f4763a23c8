package prompt

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/tui/terminal"
)

// pasteGoes tells of a paste that is more than something that comes at once.
func (p *Prompt) pasteGoes(msg tea.Msg) {
	switch msg := msg.(type) {
	case terminal.Pasting:
		p.Flash = "pasting, " + phrase.Thousands(msg.Bytes) + " bytes so far · ctrl+c ends it"
	case terminal.PasteCut:
		p.Flash = "the paste had no end: this is what came of it"
	case terminal.PasteTooLarge:
		p.Flash = ""
		p.Say(fmt.Sprintf("A paste of %s bytes was not taken: %d MiB are the most. Save it in a file and name that with @, so that the model can read what it needs of it.",
			phrase.Thousands(msg.Bytes), terminal.PasteLimit>>20))
	}
}
