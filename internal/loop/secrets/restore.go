package secrets

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"agent/internal/tools"
)

// Arguments restores the secrets in the arguments of tools that change files or run
// commands, so that a file gets the secret and the user sees it in the dialog. In the
// arguments of all other tools a placeholder is an error: they must not get secrets. It
// implements tools.ArgumentsInterceptor.
func (m *Masker) Arguments(_ context.Context, in tools.Info, args json.RawMessage) (json.RawMessage, error) {
	check := func(placeholder, _ string) error {
		return fmt.Errorf("%s takes no placeholders, and %s is one. Call it without the placeholder. write, edit, patch and shell take placeholders", in.Tool, placeholder)
	}
	switch in.Tool {
	case "write", "edit", "patch":
		check = nil
	case "shell":
		check = literal
	}
	return m.texts.RestoreJSON(args, check)
}

// literal rejects secrets that a shell would not read as literal text.
func literal(placeholder, secret string) error {
	if strings.Trim(secret, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == "" {
		return nil
	}
	return fmt.Errorf("the secret of %s contains characters that the shell interprets, so it cannot be part of a command. Make the command read the secret from a file or a variable, or change files with write, edit or patch", placeholder)
}

// Run looks for secrets that are new since the call began. It also records text in the result
// of a tool that only looks like a placeholder, such as an example in documentation, so that
// the model can write that text to a file. The result itself is masked later, in Message. Run
// implements tools.RunInterceptor.
func (m *Masker) Run(ctx context.Context, _ tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	result, err := next(ctx, c, ok)
	m.update()
	m.texts.Note(result.Text)
	return result, err
}
