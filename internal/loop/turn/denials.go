package turn

import (
	"strings"

	"agent/internal/loop/event"
)

const (
	// maxDenials is how many different calls of a turn may be denied, because nobody can approve
	// them, before further ones count as failures.
	maxDenials = 6
	// explainedDenial is the number of the denial that says what runs without approval.
	explainedDenial = 2
)

// denied records that c was denied because nobody can approve it. It reports whether c is new, so
// that the model tries something else and makes progress. The second one says once what runs
// without approval.
func (x *executor) denied(c *toolCall) (isNew bool) {
	if !c.end.Unattended || c.ran {
		return false
	}
	key := c.msg.Name + "\x00" + string(c.msg.Input)
	if x.denials[key] || len(x.denials) == maxDenials {
		return false
	}
	if x.denials == nil {
		x.denials = map[string]bool{}
	}
	x.denials[key] = true
	if len(x.denials) == explainedDenial {
		c.end.Result.Text = strings.TrimRight(c.end.Result.Text, "\n") + "\n" + withoutApproval(x.permissions.Mode())
	}
	return true
}

// withoutApproval says, for the model, which calls need no approval in a mode.
func withoutApproval(m event.Mode) string {
	const reads = "[Without approval only these run in this mode: the tools that read and search, and commands that are known to only read, such as ls, cat, grep and git diff"
	switch m {
	case event.ModeAuto:
		return reads + "; also edits in the working directory, and commands in the sandbox, which use no network and write only to the working directory and the temporary directory.]"
	case event.ModeAll:
		return "[Without approval everything runs in this mode, except changes of protected paths, edits outside the working directory, calls that name files that may hold secrets, " +
			"commands that write outside the working directory and the temporary directory or use the network, and commands that the sandbox cannot contain.]"
	}
	return reads + ". What a rule of the user allows runs too.]"
}
