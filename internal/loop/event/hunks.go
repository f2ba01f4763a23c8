package event

import "strconv"

// The user's decision on parts of a change. A Diff has one hunk if its file is created,
// deleted or moved, or if its content is not shown; otherwise it has those of Unified.
// Hunks are numbered from 0, in that order.
type (
	// HunkAnswer is the decision on the hunks of one Diff of an Ask. A hunk that is neither
	// in Accepted nor in Edited is rejected.
	HunkAnswer struct {
		Path     string        `json:"path"`
		Accepted []int         `json:"accepted,omitempty"`
		Edited   []EditedHunk  `json:"edited,omitempty"`
		Comments []LineComment `json:"comments,omitempty"`
	}
	// EditedHunk is a hunk that the user changed before approving it.
	EditedHunk struct {
		Hunk int    `json:"hunk"`
		Text string `json:"text"` // replaces the added and the unchanged lines of the hunk
	}
	// LineComment is a comment of the user on a line of a Diff.
	LineComment struct {
		Line    int    `json:"line"`              // in the new file, or in the old one if Removed
		Removed bool   `json:"removed,omitempty"` // it is about a line that the change removes
		Text    string `json:"text"`
	}
	// HunkDecision is a HunkAnswer as it is stored, without the edited text.
	HunkDecision struct {
		Path     string        `json:"path"`
		Accepted []int         `json:"accepted,omitempty"`
		Edited   []int         `json:"edited,omitempty"`
		Rejected []int         `json:"rejected,omitempty"`
		Comments []LineComment `json:"comments,omitempty"`
	}
)

// LineComments returns the comments on lines, each with its place: "a.go:12: why?".
func (d *Decided) LineComments() []string {
	var out []string
	for _, file := range d.Hunks {
		for _, c := range file.Comments {
			out = append(out, file.Path+":"+strconv.Itoa(c.Line)+": "+c.Text)
		}
	}
	return out
}

// Parts returns how many hunks the change has and how many of them the user approved. Both
// are 0 if the user decided on the change as a whole.
func (d *Decided) Parts() (hunks, approved int) {
	for _, file := range d.Hunks {
		approved += len(file.Accepted) + len(file.Edited)
		hunks += len(file.Rejected)
	}
	return hunks + approved, approved
}
