package doctor

import (
	"maps"
	"os/exec"
	"slices"
	"strings"

	"agent/cmd/agent/settings"
	"agent/internal/llm/phrase"
)

// checkPrograms tests whether the configured language servers and formatters are installed.
// It returns no row for a kind that is not configured.
func checkPrograms(set settings.Settings) (rows []row) {
	servers, formatters := map[string]string{}, map[string]string{}
	for name, l := range set.LanguageServers() {
		servers[name] = l.Command.Args()[0]
	}
	for glob, c := range set.Format {
		formatters[glob] = c.Args()[0]
	}
	for _, kind := range []struct {
		name, setting string
		programs      map[string]string
	}{{"language servers", "lsp", servers}, {"formatters", "format", formatters}} {
		out := row{Name: kind.name, Status: ok}
		var found, missing []string
		for _, name := range slices.Sorted(maps.Keys(kind.programs)) {
			program := kind.programs[name]
			if _, err := exec.LookPath(program); err != nil {
				missing = append(missing, program)
			} else if !slices.Contains(found, program) {
				found = append(found, program)
			}
		}
		if len(kind.programs) == 0 {
			continue
		}
		if out.Detail = strings.Join(found, ", "); missing != nil {
			out.Status = warning
			out.Detail = strings.TrimPrefix(out.Detail+"; not found: "+strings.Join(missing, ", "), "; ")
			out.Advice = "Install the missing programs, or correct " + kind.setting + " in the configuration."
		}
		rows = append(rows, out)
	}
	return rows
}

// maxNamed limits a command in a row, in bytes.
const maxNamed = 60

// checkOutside names the commands that are configured to run outside the sandbox. It returns
// no row if there are none.
func checkOutside(set settings.Settings) []row {
	var named []string
	for _, c := range set.Checks {
		if c.Sandbox != nil && !*c.Sandbox {
			named = append(named, "the check `"+phrase.OneLine(c.Command, maxNamed)+"`")
		}
	}
	for _, event := range settings.HookEvents {
		for _, h := range set.Hooks.At(event) {
			if h.Sandbox != nil && !*h.Sandbox {
				named = append(named, "the hook `"+phrase.OneLine(h.Command, maxNamed)+"`")
			}
		}
	}
	if named == nil {
		return nil
	}
	return []row{{
		Name: "outside the sandbox", Status: warning, Detail: "by your configuration: " + strings.Join(named, ", "),
		Advice: "If one of them runs files that the model can change, they can do anything that you can do.",
	}}
}
