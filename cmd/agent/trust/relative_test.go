package trust_test

import (
	"runtime"
	"strings"
	"testing"

	"agent/cmd/agent/trust"
)

// The words of a command show whether it needs the directory in which a session works.
func TestCommandsWithRelativePaths(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the absolute paths of the test are those of Unix")
	}
	for relative, commands := range map[bool][]string{
		true: {
			"npx -y @modelcontextprotocol/server-filesystem .", "npx -y srv ..", "npx tsx src/srv.ts", "./srv", "tools/srv", ".venv/bin/python -m srv", "node srv.js", "node srv", "node .", "python3 -u srv.py",
			"uv run srv.py", "uvx srv --db-path data.db", "uvx srv --db-path=test.db", "srv --config conf/x", "sh -c ./srv.sh", "sh -c 'node srv.js'", "sh -c \"srv $PWD\"", "sh -c 'srv $(pwd)'",
			"docker run -v ./data:/data image", "docker run --mount type=bind,src=./data,dst=/x image", "go run ./srv", "env A=../x srv", "deno task srv", "bun run srv", "bun srv.ts", "php artisan mcp",
		},
		false: {
			"npx -y @modelcontextprotocol/server-filesystem /home/ann/notes", "npx -y srv", "npx -y @a/srv@1.2", "uvx mcp-server-fetch", "uvx --from git+https://example.org/a/srv srv", "uvx --python 3.12 srv",
			"pipx run mcp-server-fetch", "bunx srv", "bun x srv", "bun /opt/srv.ts", "bun ~/srv.ts", "deno run -A npm:shop-mcp", "deno run -A jsr:@a/srv", "deno run -A https://example.org/srv/index.ts", "node /opt/srv.js",
			"python3 -m mcp_server", "python3 -m mcp.server", "python3 /opt/srv.py", "docker run -i --rm mcp/fetch", "docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server", "go run example.org/srv@latest", "srv",
			"npx -y mcp-remote https://example.org/mcp --header Authorization:x", "uv run --with srv srv", "uv --directory /opt/srv run srv", "npx -y github:owner/srv", "Rscript -e mcptools::mcp_server()", "srv --url=https://example.org/x.json",
			"srv --host api.example.org --port 80", "/opt/srv --user ann@example.org", "npx -y srv ~/notes", "op run -- npx -y srv", "srv --origin example.org/a",
		},
	} {
		for _, command := range commands {
			if got := trust.NamesRelativePath(strings.Fields(command)); got != relative {
				t.Errorf("%s: got %v", command, got)
			}
		}
	}
}
