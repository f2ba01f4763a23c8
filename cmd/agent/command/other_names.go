package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agent/internal/llm/phrase"
)

// OtherName says how to do here what word does as a command of another assistant; empty if
// word is none.
func OtherName(word string) string {
	switch word {
	case "exec", "e", "ask", "query", "print":
		return `To run a prompt non-interactively: agent run "PROMPT"`
	case "resume", "continue", "last":
		return "To continue the most recent session: agent --continue. To pick one: agent --resume"
	case "fork":
		return "To fork a session: agent --resume ID --fork"
	case "chat", "start", "code", "new", "tui":
		return "To start a session: agent"
	case "auth", "signin", "sign-in", "setup", "setup-token", "key", "apikey":
		return "To store an API key: agent login PROVIDER. Or start agent and type /connect"
	case "signout", "sign-out":
		return "To remove an API key: agent logout PROVIDER"
	case "update", "upgrade":
		return "There is no updater: install the new version the same way as this one"
	case "version":
		return "To show the version: agent --version"
	case "settings":
		return "To show the configuration and its location: agent config"
	case "apply":
		return "There is nothing to apply: edits are written to the files. To show them: agent diff. To undo them: agent undo"
	case "export", "share":
		return "To write a session to a file: agent sessions export ID --file FILE"
	case "import":
		return "To import a session: agent sessions import FILE"
	case "usage", "cost", "stats":
		return "To count tokens and cost of all sessions: agent sessions stats"
	case "serve", "server", "app-server":
		return "To use agent from an editor: agent acp. From another program: agent run --input stream-json --output stream-json"
	case "sandbox":
		return "Commands run in a sandbox by default. To read about it: agent help sandbox"
	case "rewind", "revert", "restore":
		return "To undo the file changes of a session: agent undo"
	}
	return ""
}

// otherFlag is OtherName for flags, without their dashes.
func otherFlag(name string) string {
	switch name {
	case "p", "print", "prompt", "e", "q", "query", "quiet", "non-interactive":
		return `To run a prompt non-interactively: agent run "PROMPT"`
	case "i", "prompt-interactive":
		return `To start with a prompt: agent "PROMPT"`
	case "dangerously-skip-permissions", "allow-dangerously-skip-permissions", "yolo", "y", "dangerously-bypass-approvals-and-sandbox", "bypass-permissions":
		return "To run without asking, in a sandbox: --mode all. What it still denies: agent help permissions"
	case "full-auto", "auto", "auto-approve", "accept-edits", "auto-edit", "yes", "yes-always":
		return "To edit files and run sandboxed commands without asking: --mode auto"
	case "permission-mode", "approval-mode", "ask-for-approval", "a", "approval-policy":
		return "To set the permission mode: --mode ask, auto, plan or all"
	case "plan", "read-only":
		return "To let the model only read: --mode plan"
	case "allowedTools", "allowed-tools", "tools":
		return "To allow calls without approval: --allow RULE, such as --allow 'command: go test'"
	case "disallowedTools", "disallowed-tools":
		return "To deny calls: --deny RULE, such as --deny 'edit: docs/**'"
	case "system-prompt", "system-prompt-file":
		return "To replace the system prompt: --system TEXT or @FILE"
	case "append-system-prompt", "append-system-prompt-file":
		return "To add to the system prompt: --append-system TEXT or @FILE"
	case "output-format":
		return "To set the format: agent run --output text, json or stream-json"
	case "input-format":
		return "To read prompts of a program: agent run --input stream-json --output stream-json"
	case "max-turns":
		return "To limit the steps: --max-steps N"
	case "max-budget-usd":
		return "To limit the cost: --max-cost N"
	case "last", "resume-last":
		return "To continue the most recent session: --continue"
	case "s", "session", "session-id":
		return "To resume a session: --resume ID"
	case "fork-session":
		return "To fork a session: --resume ID --fork"
	case "C", "cd", "cwd", "directory":
		return "agent works in the current directory: cd DIR first. To add another one: --add-dir DIR"
	case "provider", "local-provider", "oss":
		return "To select a model: --model PROVIDER/NAME. To list models: agent models"
	case "api-key":
		return "To store an API key: agent login PROVIDER. Other users can read the arguments of a program"
	case "sandbox", "s-sandbox":
		return "Commands run in a sandbox by default: agent help sandbox"
	case "mcp-config", "settings", "config", "profile":
		return "To show the configuration and its location: agent config"
	case "no-session-persistence", "ephemeral":
		return "To save no session: --no-session"
	case "reasoning-effort", "thinking", "variant":
		return "To set the reasoning effort: --effort low, medium or high"
	case "v", "V":
		return "To show the version: agent --version"
	}
	return ""
}

// unknownFlag returns the error for a flag that cmd does not have.
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	name := err.GetSpecifiedName()
	if cmd.Name() == "run" && name == "plain" {
		return Usage("%w. Leave it out: the output of agent run is always plain text", err)
	}
	if cmd.Name() == "run" && (name == "p" || name == "print") {
		return Usage("%w. Leave it out: agent run prints the answer and ends", err)
	}
	if hint := otherFlag(name); hint != "" {
		return Usage("%w. %s", err, hint)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := phrase.Nearest(name, names); len(name) > 1 && near != "" {
		return Usage("%w. Did you mean --%s?", err, near)
	}
	return Usage("%w", err)
}
