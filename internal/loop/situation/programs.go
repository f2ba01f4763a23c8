package situation

import (
	"context"
	"os/exec"
)

// programs are the tools of software projects that the model may want to run.
func programs() []string {
	return []string{
		"go", "node", "npm", "pnpm", "yarn", "bun", "deno", "python3", "python", "uv", "poetry", "cargo", "java", "mvn", "gradle",
		"ruby", "php", "dotnet", "swift", "zig", "gcc", "clang", "cmake", "make", "just", "docker", "git", "gh", "rg", "jq",
	}
}

// installed returns the programs that are on PATH. It runs none of them.
func installed(ctx context.Context) []string {
	var found []string
	for _, name := range programs() {
		if ctx.Err() != nil {
			break
		}
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	return found
}
