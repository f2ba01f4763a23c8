package event

// Grant is the record of a standing permission.
type Grant struct {
	Kind TargetKind `json:"kind"` // of the Target that it covers
	// Value is a directory ending in "/", a file, a whole command, or a host.
	Value string `json:"value"`
	// Dir is the absolute directory of a command or path; empty in old logs.
	Dir string `json:"dir,omitempty"`
	// Prefix is set if Value is the first words of commands, which may have further arguments.
	Prefix bool `json:"prefix,omitempty"`
	// Network is set if these commands may use the network.
	Network bool `json:"network,omitempty"`
	// Read is set if Value is a directory outside the workspace that may be read.
	Read bool `json:"read,omitempty"`
	// Files are the files that a command named when it was approved.
	Files []FileSum `json:"files,omitempty"`
	// Seal proves that this program wrote the grant, in this session.
	Seal string `json:"seal,omitempty"`
}

// FileSum is a file with a hash of its contents.
type FileSum struct {
	Path string `json:"path"` // absolute
	Sum  string `json:"sum"`  // "sha256:…", or why it could not be read
}

// InstructionFile is a file whose text instructs the model.
type InstructionFile struct {
	Path string `json:"path"`
	Sum  string `json:"sum"` // "sha256:…" of its content
}

// Reading is the part of a file that the result of a call shows the model.
type Reading struct {
	Path  string `json:"path"`            // relative to the workspace
	Sum   string `json:"sum"`             // identifies the content of the file
	First int    `json:"first,omitempty"` // the lines that were shown, from 1
	Last  int    `json:"last,omitempty"`  // 0 if no lines were shown: the model wrote the file, or got a notice of a change
	// Part is set if the model changed the file without having seen all of it.
	Part bool `json:"part,omitempty"`
}
