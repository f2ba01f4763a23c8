package prompt

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/tui/terminal"
)

// showPaste reports the progress and the failures of a long paste.
func (c *Clipboard) showPaste(msg tea.Msg) {
	switch msg := msg.(type) {
	case terminal.Pasting:
		c.Flash = "pasting, " + phrase.Thousands(msg.Bytes) + " bytes so far · ctrl+c cancel"
	case terminal.PasteCut:
		c.Flash = "the paste was incomplete: the text received is inserted"
	case terminal.PasteTooLarge:
		c.Flash = ""
		c.say(fmt.Sprintf("A paste of %s bytes was rejected: the limit is %d MiB. Save the text to a file and mention the file with @.",
			phrase.Thousands(msg.Bytes), terminal.PasteLimit>>20))
	}
}
