package doctor

import (
	"maps"
	"os/exec"
	"slices"
	"strings"

	"agent/cmd/agent/settings"
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
