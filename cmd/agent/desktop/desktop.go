// Package desktop reads the user's environment: the clipboard, image files, the
// terminal, the editor, the git branch and custom commands. It starts only programs
// of the system or of the user's choice, without the API keys of providers. From a
// repository it reads only the branch and custom commands. Each file is an entry
// point of its own.
package desktop
