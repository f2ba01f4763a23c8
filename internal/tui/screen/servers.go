package screen

// Servers holds what /lsp needs. Its functions may block; they are nil if the session uses
// no language server.
type Servers struct {
	List    func() []Server
	Restart func(name string) // an empty name stands for all
}

// Server is a language server. Its texts are untrusted.
type Server struct {
	Name  string
	State string // "ready in ~/src/app, 312 MB"
}
