package credentials

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm"
	"agent/internal/llm/catalog"
	"agent/internal/llm/phrase"
)

// maxKey is the size limit of an API key, in bytes.
const maxKey = 16 << 10

// LoginOptions are the options of `agent login` and `agent logout`.
type LoginOptions struct {
	IO       command.IO
	Settings func() (settings.File, error)
	Cleanup  func(func()) (forget func())
	Keyring  Keyring

	Provider string
	File     bool // see Choice
}

// NewCmdLogin returns `agent login`.
func NewCmdLogin(f *command.Factory, runF command.RunFunc[LoginOptions]) *cobra.Command {
	opts := &LoginOptions{}
	cmd := newCmd(f, opts, command.Or(runF, loginRun))
	cmd.Use = "login PROVIDER"
	cmd.Aliases = []string{"connect"}
	cmd.Short = "store a provider's API key in the system keyring"
	cmd.Long = `Login stores a provider's API key in the keyring of the operating system. On a
terminal it prompts for the key and does not echo it; otherwise it reads the key
from standard input. An API key in the environment takes precedence.

Without a keyring, it offers to store the key in a file that is not encrypted, which
every program that runs as your account can read. Details: agent help data`
	cmd.Example = "  agent login anthropic\n  pass show groq | agent login groq"
	cmd.Flags().BoolVar(&opts.File, fileFlag, false, fileFlagUse)
	return cmd
}

// NewCmdLogout returns `agent logout`.
func NewCmdLogout(f *command.Factory, runF command.RunFunc[LoginOptions]) *cobra.Command {
	cmd := newCmd(f, &LoginOptions{}, command.Or(runF, logoutRun))
	cmd.Use = "logout PROVIDER"
	cmd.Short = "remove a provider's stored API key"
	return cmd
}

// newCmd returns a command that takes the name of a provider. It completes the options.
func newCmd(f *command.Factory, opts *LoginOptions, runF command.RunFunc[LoginOptions]) *cobra.Command {
	return &cobra.Command{
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				list := ""
				if cmd.Name() == "login" {
					list = ", such as anthropic or openai. To choose from a list, start agent and type /connect"
				}
				return command.Usage("expected one provider: %s PROVIDER%s", cmd.CommandPath(), list)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.IO, opts.Settings, opts.Cleanup, opts.Keyring, opts.Provider = f.IO, f.Settings, f.Cleanup, System{}, args[0]
			return runF(cmd.Context(), opts)
		},
	}
}

func loginRun(_ context.Context, opts *LoginOptions) error {
	row, err := opts.row()
	if err != nil {
		return err
	}
	place, err := Choice{IO: opts.IO, File: opts.File, What: "API key"}.store(opts.Keyring)
	if errors.Is(err, errCancelled) || opts.File && err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("the API key was not stored: %w.\n%s", err, keyAlternatives(row))
	}
	key, err := opts.readKey(row.Name)
	if err != nil {
		return err
	}
	return login(opts.IO.Err, place, row, key)
}

func logoutRun(_ context.Context, opts *LoginOptions) error {
	row, err := opts.row()
	if err != nil {
		return err
	}
	return logout(opts.IO.Err, opts.Keyring, row)
}

// login stores a key in r and reports it to out.
func login(out io.Writer, r Keyring, row catalog.Row, key string) error {
	if err := save(r, row.Name, key); err != nil {
		return err
	}
	fmt.Fprintf(out, "Stored the API key for %s in %s. To use it: agent --model %s\n", row.Name, placeName(r), row.Name)
	if name, set := firstEnv(row.KeyNames); set {
		fmt.Fprintf(out, "The environment variable %s is also set and takes precedence.\n", name)
	}
	return nil
}

// save stores the key of a provider in r.
func save(r Keyring, provider, key string) error {
	if err := withTimeout(unlockLimit, r, func() error { return r.Set(provider, key) }); err != nil {
		return fmt.Errorf("store the API key: %w", err)
	}
	return errors.Join(noteStored(r, provider, true), clearFile(r, provider))
}

// keyAlternatives describes how to configure a key without a keyring.
func keyAlternatives(row catalog.Row) string {
	text := "Configure"
	if len(row.KeyNames) > 0 {
		text = "Set " + row.KeyNames[0] + " in the environment, or configure"
	}
	return fmt.Sprintf(`%s a command that prints the key (agent config shows the file):
  {"providers": {"%s": {"key": {"command": ["pass", "show", "%s"]}}}}
To store the key in a file that is not encrypted: agent login %s --%s`, text, row.Name, row.Name, row.Name, fileFlag)
}

// logout removes a key from r and from the file, and reports it to out.
func logout(out io.Writer, r Keyring, row catalog.Row) error {
	for _, r := range holders(storedSecrets(), row.Name, r) {
		err := withTimeout(unlockLimit, r, func() error { return r.Delete(row.Name) })
		if err != nil && !errors.Is(err, errNoKey) {
			return fmt.Errorf("remove the API key: %w", err)
		}
		if noted := noteStored(r, row.Name, false); noted != nil {
			return noted
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "Removed the API key for %s from %s.\n", row.Name, placeName(r))
	}
	if name, set := firstEnv(row.KeyNames); set {
		fmt.Fprintf(out, "The environment variable %s is still set.\n", name)
	}
	return nil
}

// row returns the provider, or an error if it uses no API key.
func (o *LoginOptions) row() (catalog.Row, error) {
	file, err := o.Settings()
	if err != nil {
		return catalog.Row{}, err
	}
	changes := file.Changes()
	row, found := changes.Find(o.Provider)
	switch {
	case !found:
		return row, unknownProvider(o.Provider, changes.Providers())
	case row.Dialect == catalog.Builtin:
		return row, command.Usage("the offline guide is built in and needs no API key")
	case len(row.KeyNames) == 0 && !row.Configured:
		return row, command.Usage("%s runs on this machine and needs no API key. To start it: %s", row.Name, row.Start)
	}
	return row, nil
}

// unknownProvider returns the error for a name that is no provider. It suggests the provider
// whose models have that name, as in claude, or a similar name.
func unknownProvider(name string, rows []catalog.Row) error {
	if llm.IsAPIKey(name) {
		return command.Usage("expected the name of a provider, not an API key, which your shell may keep in its history: agent login PROVIDER asks for the key")
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
		vendor, _, _ := strings.Cut(r.Offers, " ")
		words := append([]string{vendor}, append(r.Models.Prefixes, r.KeyNames...)...)
		if r.KeysAt != "" && slices.ContainsFunc(words, func(w string) bool {
			return w != strings.ToLower(vendor) && strings.EqualFold(strings.FieldsFunc(w, separates)[0], name)
		}) {
			return command.Usage("unknown provider %q. Did you mean %s (%s)?", name, r.Name, r.Offers)
		}
	}
	if near := phrase.Nearest(name, names); near != "" {
		return command.Usage("unknown provider %q. Did you mean %s?", name, near)
	}
	return command.Usage("unknown provider %q. To choose one from a list, start agent and type /connect", name)
}

func separates(r rune) bool { return r == '-' || r == '_' || r == '/' }

// readKey reads a key: a line that is not echoed from a terminal, or all of standard
// input.
func (o *LoginOptions) readKey(provider string) (string, error) {
	var b []byte
	var err error
	if term.IsTerminal(o.IO.In.Fd()) {
		fmt.Fprintf(o.IO.Err, "API key for %s (not echoed): ", provider)
		b, err = o.readHidden()
		fmt.Fprintln(o.IO.Err)
	} else {
		b, err = io.ReadAll(io.LimitReader(o.IO.In, maxKey+1))
	}
	if err != nil {
		return "", fmt.Errorf("read the API key: %w", err)
	}
	if key := strings.TrimSpace(string(b)); key == "" {
		return "", command.Usage("the API key is empty: type it, or pass it on standard input")
	}
	key, err := ParseKey(string(b))
	if err != nil {
		return "", command.Usage("%w", err)
	}
	return key.Reveal(), nil
}

// ParseKey returns the API key that the user typed or pasted.
func ParseKey(typed string) (catalog.Key, error) {
	key := strings.TrimSpace(typed)
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "", errors.New("invalid API key: it must be a single word")
	}
	return catalog.Key(key), nil
}

// readHidden reads a line from the terminal without echo. If a signal ends the
// program during the read, cleanup restores the terminal.
func (o *LoginOptions) readHidden() ([]byte, error) {
	fd := o.IO.In.Fd()
	was, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	defer o.Cleanup(func() { _ = term.Restore(fd, was) })()
	return term.ReadPassword(fd)
}

// firstEnv returns the first of the names that is set in the environment.
func firstEnv(names []string) (string, bool) {
	for _, n := range names {
		if os.Getenv(n) != "" {
			return n, true
		}
	}
	return "", false
}
