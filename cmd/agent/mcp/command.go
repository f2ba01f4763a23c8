package mcp

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tui/ink"
)

// Setup is what the commands know of the current directory.
type Setup struct {
	File    settings.File // the user's configuration
	Servers []Configured
	Problem error // why the file of the repository, or a part of it, is not used; may be nil
}

// Options are what `agent mcp` and its commands need.
type Options struct {
	IO      command.IO
	Version string
	Cleanup func(func()) (forget func()) // see command.Factory
	Open    func() (Setup, error)
	// Run runs the call of a tool without approval, and prints its result.
	Run func(ctx context.Context, t tools.Tool, args string) error
	// ReadLine reads a line of standard input; false at its end or that of ctx. It may be nil.
	ReadLine func(ctx context.Context) (line string, ok bool)
	// Logins are the stored logins.
	Logins *Logins

	Name, Tool string
	Args       string // of the tool: JSON, or "-" for standard input
	Check      bool   // connect to the servers
	File       bool   // see Logins.Choose
	Server     NewServer
}

// NewServer is a server to add.
type NewServer struct {
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Cwd       string            `json:"cwd,omitempty"`
	URL       string            `json:"url,omitempty"`
	Transport string            `json:"transport,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Provider  string            `json:"provider,omitempty"`
	Timeout   int               `json:"timeout_seconds,omitempty"`
	Client    *settings.MCPAuth `json:"oauth,omitempty"`
}

// NewCmd returns `agent mcp`. The options have everything but what flags and arguments set.
func NewCmd(base Options, runF command.RunFunc[Options]) *cobra.Command {
	opts := &base
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "list, add and call MCP servers",
		Long: `List, configure and call MCP servers: programs and web services that have tools for the
model. Without a command, it lists the configured servers. Details: agent help mcp`,
		Example: `  agent mcp add files npx -y @modelcontextprotocol/server-filesystem .
  agent mcp add sentry https://mcp.sentry.dev/mcp
  agent mcp list --check
  agent mcp call files list_directory '{"path": "."}'`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return command.Or(runF, listRun)(cmd.Context(), opts) },
	}
	list := &cobra.Command{
		Use: "list", Short: "list the configured MCP servers", Args: command.NoArgs,
		Example: "  agent mcp list\n  agent mcp list --check",
		RunE:    func(cmd *cobra.Command, _ []string) error { return command.Or(runF, listRun)(cmd.Context(), opts) },
	}
	list.Flags().BoolVar(&opts.Check, "check", false, "connect to the servers; exit with 1 if one of them is not ready")
	login := opts.named(&cobra.Command{Use: "login NAME", Short: "log in to an MCP server with a browser",
		Long: `Login prints the URL of the page on which you log in, opens it in a browser, and waits
until you have logged in. It stores the tokens in the keyring of the operating system and
renews them when they expire. Without a keyring, it offers to store them in a file that is
not encrypted, which every program that runs as your account can read.`}, 1, command.Or(runF, loginRun))
	login.Flags().BoolVar(&opts.File, "unencrypted-file", false, "without a system keyring, store the tokens in a file that is not encrypted")
	cmd.AddCommand(newCmdAdd(opts, runF), list, login,
		opts.named(&cobra.Command{Use: "remove NAME", Short: "remove an MCP server from the configuration"}, 1, command.Or(runF, removeRun)),
		opts.named(&cobra.Command{Use: "logout NAME", Short: "remove the stored tokens of an MCP server"}, 1, command.Or(runF, logoutRun)),
		opts.named(&cobra.Command{Use: "tools [NAME [TOOL]]", Short: "list the tools of MCP servers, or show one with its schema",
			Example: "  agent mcp tools\n  agent mcp tools files read_text_file"}, 0, command.Or(runF, toolsRun)),
		opts.named(&cobra.Command{Use: "call NAME TOOL [JSON]", Short: "call a tool of an MCP server",
			Long: `Call runs a tool of an MCP server without asking for approval, and prints its result to
standard output. The arguments are a JSON object; - reads it from standard input. It
exits with 1 if the tool reports an error.`,
			Example: "  agent mcp call files list_directory '{\"path\": \".\"}'\n  jq -n '{path: \"a.txt\"}' | agent mcp call files read_text_file -"}, 2, command.Or(runF, callRun)),
	)
	return cmd
}

// named completes a command with the arguments that its usage names. At least least of
// them are required.
func (o *Options) named(cmd *cobra.Command, least int, run command.RunFunc[Options]) *cobra.Command {
	_, usage, _ := strings.Cut(cmd.Use, " ")
	most := len(strings.Fields(usage))
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return command.Usage("expected %s", usage)
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		args = append(args, "", "", "")
		o.Name, o.Tool, o.Args = args[0], args[1], args[2]
		return run(cmd.Context(), o)
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		if setup, err := o.Open(); err == nil && len(args) == 0 {
			for _, s := range setup.Servers {
				names = append(names, s.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// newCmdAdd returns `agent mcp add`.
func newCmdAdd(opts *Options, runF command.RunFunc[Options]) *cobra.Command {
	var env, headers []string
	var client string
	s := &opts.Server
	cmd := &cobra.Command{
		Use:   "add NAME [flags] [--] COMMAND|URL [ARG...]",
		Short: "add an MCP server to the configuration",
		Long: `Add adds an MCP server to your configuration: a program with its arguments, or the URL
of a server over HTTP. The rest of the configuration file stays as it is. Put flags before
the command.

A program gets only PATH, HOME, TMPDIR, LANG and TERM of your environment, and what
--env adds. To keep a secret out of the configuration file, refer to a variable of your
environment, in single quotes: --env 'GITHUB_TOKEN=${GITHUB_TOKEN}'`,
		Example: `  agent mcp add files npx -y @modelcontextprotocol/server-filesystem .
  agent mcp add github --env 'GITHUB_TOKEN=${GITHUB_TOKEN}' docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server
  agent mcp add docs https://mcp.example.org/mcp --header 'Authorization: Bearer ${DOCS_TOKEN}'
  agent mcp add genie --provider databricks /api/2.0/mcp/genie/SPACE_ID`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := flagsAfterName(cmd.Flags(), args)
			if help, _ := cmd.Flags().GetBool("help"); help {
				return cmd.Help()
			}
			if err != nil {
				return command.Usage("%w", err)
			}
			if len(args) < 2 {
				return command.Usage("expected a name and a command or a URL, such as: agent mcp add docs https://mcp.example.org/mcp")
			}
			if s.Env, err = pairs("--env", env, "="); err != nil {
				return err
			}
			if s.Headers, err = pairs("--header", headers, ":"); err != nil {
				return err
			}
			if client != "" {
				s.Client = &settings.MCPAuth{ClientID: client}
			}
			opts.Name, s.Command, s.Args = args[0], args[1], args[2:]
			if u, err := url.Parse(s.Command); s.Provider != "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") {
				s.URL, s.Command = s.Command, ""
			} else if strings.Contains(s.Command, "://") {
				return command.Usage("MCP servers have no URLs like %s: use http:// or https://", ink.SanitizeLine(s.Command))
			}
			return command.Or(runF, addRun)(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // the command may have flags
	f.StringArrayVarP(&env, "env", "e", nil, "set a `NAME=VALUE` in the environment of the program; can be repeated")
	f.StringArrayVarP(&headers, "header", "H", nil, "send a header `'NAME: VALUE'` with every request; can be repeated")
	f.StringVar(&s.Cwd, "cwd", "", "start the program in this `DIRECTORY`; . is that of the session (default: your home directory, see agent help mcp)")
	f.IntVar(&s.Timeout, "timeout", 0, "cancel a call when the server is silent for this many `SECONDS` (default 120)")
	f.StringVar(&s.Transport, "transport", "", "`http` (default) or sse, for a URL")
	f.StringVar(&s.Provider, "provider", "", "use the host and the credentials of a model `PROVIDER`; the URL is a path at its host")
	f.StringVar(&client, "client-id", "", "`ID` of the OAuth client, for servers that do not register clients")
	return cmd
}

// flagsAfterName parses the flags between the name and the command, and those after a URL.
func flagsAfterName(f *pflag.FlagSet, args []string) ([]string, error) {
	if len(args) == 0 || f.ArgsLenAtDash() == 0 {
		return args, nil
	}
	name := args[0]
	if err := f.Parse(args[1:]); err != nil {
		return nil, err
	}
	args = f.Args()
	if len(args) > 1 && f.ArgsLenAtDash() < 0 && isURL(args[0]) {
		at := args[0]
		if err := f.Parse(args[1:]); err != nil {
			return nil, err
		}
		args = append([]string{at}, f.Args()...)
	}
	return append([]string{name}, args...), nil
}

func isURL(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "/api/")
}

// pairs returns the names and values in the values of a flag, separated by sep.
func pairs(flag string, all []string, sep string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range all {
		name, value, ok := strings.Cut(pair, sep)
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, command.Usage("%s %q: expected NAME%sVALUE", flag, pair, sep)
		}
		if sep == ":" {
			value = strings.TrimSpace(value)
		}
		out[name] = value
	}
	return out, nil
}

func addRun(_ context.Context, opts *Options) error {
	setup, err := opts.Open()
	if err != nil {
		return err
	}
	if !validName(opts.Name) {
		return command.Usage("%q cannot be the name of an MCP server: use lower-case letters and digits, and between them single dashes and underscores", opts.Name)
	}
	s := opts.Server
	if s.URL != "" && len(s.Args) > 0 {
		return command.Usage("a URL takes no arguments: %s", strings.Join(s.Args, " "))
	}
	err = settings.Change(setup.File.Path, func(now settings.Settings) ([]settings.Edit, error) {
		if _, ok := now.MCP.Servers[opts.Name]; ok {
			return nil, fmt.Errorf("there is already an MCP server %q. To replace it, first run: agent mcp remove %s", opts.Name, opts.Name)
		}
		return []settings.Edit{settings.SetValue(s, "mcp", "servers", opts.Name)}, nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(opts.IO.Out, "Added the MCP server %s to %s. To connect to it: agent mcp tools %s\n", opts.Name, command.Short(setup.File.Path), opts.Name)
	if s.URL != "" && !authorized(s.Headers) {
		fmt.Fprintf(opts.IO.Out, "If it requires a login: agent mcp login %s\n", opts.Name)
	}
	return nil
}

func removeRun(_ context.Context, opts *Options) error {
	setup, err := opts.Open()
	if err != nil {
		return err
	}
	err = settings.Change(setup.File.Path, func(now settings.Settings) ([]settings.Edit, error) {
		if _, ok := now.MCP.Servers[opts.Name]; ok {
			return []settings.Edit{settings.DeleteValue("mcp", "servers", opts.Name)}, nil
		}
		for _, s := range setup.Servers {
			if s.Name == opts.Name && !s.FromUser() {
				return nil, fmt.Errorf("%s is configured in %s of this repository. To stop using it: agent trust revoke mcp %s", s.Name, s.File, s.Name)
			}
		}
		return nil, unknown(opts.Name, slices.Sorted(maps.Keys(now.MCP.Servers)))
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(opts.IO.Out, "Removed the MCP server %s from %s.\n", opts.Name, command.Short(setup.File.Path))
	if where, ok := opts.Logins.Has(opts.Name); ok {
		fmt.Fprintf(opts.IO.Out, "Its tokens are still in %s. To remove them: agent mcp logout %s\n", where, opts.Name)
	}
	return nil
}

// unknown returns the error for a name that no server has.
func unknown(name string, names []string) error {
	name = ink.SanitizeLine(name)
	switch near := phrase.Nearest(name, names); {
	case len(names) == 0:
		return command.Usage("no MCP server is configured. To add one: agent mcp add")
	case near != "":
		return command.Usage("there is no MCP server %q: did you mean %q?", name, near)
	}
	return command.Usage("there is no MCP server %q. Configured: %s", name, strings.Join(names, ", "))
}
