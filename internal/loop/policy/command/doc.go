// Package command reads shell commands before they run: which programs a command
// line starts, with which arguments, and what they do to files, processes and the
// network. It never runs anything, and it decides nothing itself: the policy
// combines what it finds with the permission mode and the user's rules.
//
// # Model
//
// Judge parses a line with package bash and lists its simple commands as Parts. A line
// runs automatically only if every part is proven to only read: its words are literal, its
// program is listed in programs.txt, and so is each of its options. All other lines need
// approval. The proof never searches for what is
// dangerous; a construct, program or option that the package does not know needs
// approval.
//
// The Traits of a line are the opposite: a best guess at what a line that needs
// approval does, for the warning in the dialog and for modes that approve commands.
// effects.txt lists them. A missing trait is no proof.
//
// Exactly the judged words must run. Command.Script rewrites a read-only line: each word
// is in single quotes, and wildcards are already expanded. The caller passes it to bash
// with the variables of Environment, and git through a runner that ignores the
// configuration of the repository.
//
// The package knows paths only as text. Command.Reads lists the files and directories
// that a read-only line opens; Judge asks Env which of them the line may read.
//
// Start reading at Judge, then Part and reader.call (the strict grammar), prover, which
// proves that a program only reads, with table.go (options) and rules.go (programs with a
// grammar of their own), and guesser, which guesses the Traits.
package command
