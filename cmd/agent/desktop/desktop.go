// Package desktop knows the user's desktop: the clipboard, image files, the
// terminal, the editor, the git branch, and the user's prompt files. It starts
// only programs of the user's choice, without the API keys of providers, and
// reads nothing from a repository but the branch and its prompt files.
package desktop
