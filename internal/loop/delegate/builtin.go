package delegate

import (
	"embed"
	"fmt"
	"slices"

	"agent/internal/loop/instructions"
	"agent/internal/tools/intake"
)

//go:embed builtin/*.md
var builtIn embed.FS

// builtInNames are the names of the built-in agents, in the order of lists.
func builtInNames() []string { return []string{"explore", "general", "review"} }

// BuiltIn returns the built-in agents. Accepted describes all tools of the program.
func BuiltIn(accepted intake.Tools) []Agent {
	var all []Agent
	for _, name := range builtInNames() {
		text, err := builtIn.ReadFile("builtin/" + name + ".md")
		if err != nil {
			panic(err) // the files are part of the program
		}
		a, _ := FromFile(instructions.ParseAgent(name, string(text)), accepted)
		all = append(all, a)
	}
	return all
}

// maxNotices limits the notices about agents: a repository can cause any number.
const maxNotices = 20

// Collect returns the built-in agents and those of files, with notices for the user
// about values that cannot be used. Accepted describes all tools of the program. A
// file of the user replaces the built-in agent with the same name; a file of the
// repository cannot.
func Collect(files []instructions.AgentFile, accepted intake.Tools) (all []Agent, notices []string) {
	all = BuiltIn(accepted)
	for _, f := range files {
		i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == f.Name })
		if i >= 0 && f.FromRepository {
			notices = append(notices, fmt.Sprintf("%s is not used: a repository cannot replace the built-in agent %s. Give it another name.", f.Source, f.Name))
			continue
		}
		a, problems := FromFile(f, accepted)
		notices = append(notices, problems...)
		if i >= 0 {
			all[i] = a
		} else {
			all = append(all, a)
		}
	}
	if len(notices) > maxNotices {
		notices = append(notices[:maxNotices], "More problems with agents are not shown.")
	}
	return all, notices
}
