// Prints the calls of a Go module as JSON, one a line, as go/types resolves them.
//
//	go run . FOLDER
//
// {"caller": [path, line], "callee": [path, line], "interface": false}. A place is that of a function's name; a caller is
// the function declaration around a call. "interface" marks a call of an interface's method. What modules that are not
// here give has no type, so calls of it are left out, and "undecided" lists their places: {"undecided": [path, line]}.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

type place [2]any

type record struct {
	Caller    *place `json:"caller,omitempty"`
	Callee    *place `json:"callee,omitempty"`
	Interface bool   `json:"interface,omitempty"`
	Undecided *place `json:"undecided,omitempty"`
	Name      string `json:"name,omitempty"`
}

type loader struct {
	root, module string
	files        *token.FileSet
	standard     types.Importer
	packages     map[string]*types.Package
	loading      map[string]bool
	info         *types.Info
	parsed       []*ast.File
	out          *json.Encoder
}

var modulePath = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"/][^\s"]*)`)

func main() {
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		panic(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		panic(err)
	}
	set := token.NewFileSet()
	load := &loader{
		root: root, module: modulePath.FindStringSubmatch(string(text))[1], files: set,
		standard: importer.ForCompiler(set, "source", nil),
		packages: map[string]*types.Package{}, loading: map[string]bool{},
		info: &types.Info{
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		},
		out: json.NewEncoder(os.Stdout),
	}
	for _, folder := range load.folders() {
		path := load.module
		if folder != "." {
			path += "/" + folder
		}
		if _, err := load.Import(path); err != nil {
			fmt.Fprintln(os.Stderr, path, err)
		}
		load.tests(path)
	}
	for _, file := range load.parsed {
		load.calls(file)
	}
}

func (l *loader) folders() []string {
	found := map[string]bool{}
	filepath.WalkDir(l.root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != l.root {
			name := entry.Name()
			if name == "vendor" || name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return filepath.SkipDir
			}
		}
		if err == nil && strings.HasSuffix(path, ".go") {
			folder, _ := filepath.Rel(l.root, filepath.Dir(path))
			found[filepath.ToSlash(folder)] = true
		}
		return nil
	})
	var all []string
	for folder := range found {
		all = append(all, folder)
	}
	sort.Strings(all)
	return all
}

// Import is that of types.Importer: packages of the module from their source, those of others as empty ones.
func (l *loader) Import(path string) (*types.Package, error) {
	if known := l.packages[path]; known != nil {
		return known, nil
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if path != l.module && !strings.HasPrefix(path, l.module+"/") {
		if !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
			if found, err := l.standard.Import(path); err == nil {
				return found, nil
			}
		}
		return nil, fmt.Errorf("%s is not here", path)
	}
	if l.loading[path] {
		return nil, fmt.Errorf("%s imports itself", path)
	}
	l.loading[path] = true
	files := l.parse(path, func(each *build.Package) []string { return append(each.GoFiles, each.CgoFiles...) })
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no files", path)
	}
	l.packages[path] = l.check(path, files)
	return l.packages[path], nil
}

func (l *loader) tests(path string) {
	inside := l.parse(path, func(each *build.Package) []string { return append(append(each.GoFiles, each.CgoFiles...), each.TestGoFiles...) })
	known := len(l.parsed)
	if len(inside) > 0 {
		l.check(path, inside)
		kept := l.parsed[:known]
		for _, file := range l.parsed[known:] {
			if strings.HasSuffix(l.files.Position(file.Pos()).Filename, "_test.go") {
				kept = append(kept, file)
			}
		}
		l.parsed = kept
	}
	if outside := l.parse(path, func(each *build.Package) []string { return each.XTestGoFiles }); len(outside) > 0 {
		l.check(path+"_test", outside)
	}
}

func (l *loader) parse(path string, which func(*build.Package) []string) []*ast.File {
	folder := filepath.Join(l.root, strings.TrimPrefix(strings.TrimPrefix(path, l.module), "/"))
	known, _ := build.Default.ImportDir(folder, 0)
	if known == nil {
		return nil
	}
	var files []*ast.File
	for _, name := range which(known) {
		if file, err := parser.ParseFile(l.files, filepath.Join(folder, name), nil, parser.SkipObjectResolution); err == nil {
			files = append(files, file)
		}
	}
	return files
}

func (l *loader) check(path string, files []*ast.File) *types.Package {
	config := types.Config{Importer: l, Error: func(error) {}, FakeImportC: true}
	checked, _ := config.Check(path, l.files, files, l.info)
	l.parsed = append(l.parsed, files...)
	return checked
}

func (l *loader) calls(file *ast.File) {
	for _, declared := range file.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		caller := l.place(function.Name.Pos())
		ast.Inspect(function.Body, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				l.call(call, caller)
			}
			return true
		})
	}
}

func (l *loader) call(call *ast.CallExpr, caller *place) {
	name := called(call.Fun)
	if name == nil || caller == nil {
		return
	}
	object := l.info.Uses[name]
	if object == nil {
		if known, ok := l.info.Types[call.Fun]; !ok || known.Type == nil || known.Type == types.Typ[types.Invalid] {
			l.out.Encode(record{Undecided: caller, Name: name.Name})
		}
		return
	}
	function, ok := object.(*types.Func)
	if !ok {
		return
	}
	function = function.Origin()
	callee := l.place(function.Pos())
	if callee == nil {
		return
	}
	receiver := function.Type().(*types.Signature).Recv()
	through := receiver != nil && types.IsInterface(receiver.Type())
	l.out.Encode(record{Caller: caller, Callee: callee, Interface: through, Name: name.Name})
}

func called(expression ast.Expr) *ast.Ident {
	switch one := expression.(type) {
	case *ast.Ident:
		return one
	case *ast.SelectorExpr:
		return one.Sel
	case *ast.ParenExpr:
		return called(one.X)
	case *ast.IndexExpr:
		return called(one.X)
	case *ast.IndexListExpr:
		return called(one.X)
	}
	return nil
}

func (l *loader) place(at token.Pos) *place {
	position := l.files.Position(at)
	path, err := filepath.Rel(l.root, position.Filename)
	if err != nil || strings.HasPrefix(path, "..") {
		return nil
	}
	return &place{filepath.ToSlash(path), position.Line}
}
