package tui

// CustomCommand is a typed command that somebody wrote as a file. All of it is
// untrusted text.
type CustomCommand struct {
	Name   string // as it is typed, without the slash
	Args   string // what it takes, for people: "FILE [LINE]"; may be empty
	What   string // what it does, on one line
	Source string // where it comes from, for people: "~/.config/agent/commands"
	Theirs bool   // it comes with the repository, and not from the person
	Text   string // the prompt that it stands for, with $ARGUMENTS, and $1 to $9
}
