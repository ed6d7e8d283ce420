// Prints the calls of TypeScript as JSON, one a line, as TypeScript's own checker resolves them.
//
//   NODE_PATH=$(npm root -g) node calls.js FOLDER [TSCONFIG]
//
// {"around": [[path, line], ...], "callee": [path, line], "interface": false, "name": "f"}. A place is that of a function's
// name; "around" are the named functions around a call, the innermost first. "interface" marks a call of a method that an
// interface or a type declares. {"undecided": [...], "name": "f"} is a call of what has no type, since a module is not here.
'use strict';
const path = require('node:path');
const ts = require('typescript');

const root = path.resolve(process.argv[2]);
const settings = path.resolve(root, process.argv[3] || 'tsconfig.json');
const known = ts.readConfigFile(settings, ts.sys.readFile);
const config = ts.parseJsonConfigFileContent(known.config || {}, ts.sys, path.dirname(settings));
const program = ts.createProgram(config.fileNames, { ...config.options, noEmit: true, skipLibCheck: true });
const checker = program.getTypeChecker();

const place = (node) => {
    const file = node.getSourceFile();
    const relative = path.relative(root, file.fileName).split(path.sep).join('/');
    if (relative.startsWith('..') || relative.includes('node_modules/')) return null;
    return [relative, file.getLineAndCharacterOfPosition(node.getStart()).line + 1];
};

const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

// The name of a function: its own, or that of the variable, property or field that holds it.
const nameOf = (node) => {
    if (ts.isConstructorDeclaration(node)) return node;
    if (node.name && (ts.isFunctionLike(node) || isFunction(node.initializer))) return node.name;
    const holder = isFunction(node) ? node.parent : null;
    const holds = holder && holder.initializer === node && holder.name;
    return holds && (ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) || ts.isPropertyDeclaration(holder)) ? holder.name : null;
};

const around = (node) => {
    const found = [];
    for (let at = node.parent; at; at = at.parent) {
        const name = ts.isFunctionLike(at) ? nameOf(at) : null;
        if (name) found.push(place(name));
    }
    return found;
};

const declared = (call) => {
    const signature = checker.getResolvedSignature(call);
    const target = signature && signature.declaration;
    if (target) return target;
    let symbol = checker.getSymbolAtLocation(called(call));
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    return symbol && symbol.valueDeclaration;
};

const called = (call) => (ts.isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression);

const print = (one) => process.stdout.write(`${JSON.stringify(one)}\n`);

const visit = (node) => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) tell(node);
    ts.forEachChild(node, visit);
};

const tell = (call) => {
    const name = called(call);
    if (!ts.isIdentifier(name)) return;
    const callers = around(call);
    if (!callers.length) return;
    const target = declared(call);
    if (!target) {
        if (checker.getTypeAtLocation(name).flags & ts.TypeFlags.Any) print({ undecided: callers, name: name.text });
        return;
    }
    const own = nameOf(target);
    if (own) {
        const callee = place(own);
        const through = ts.isMethodSignature(target) || !!(target.parent && ts.isInterfaceDeclaration(target.parent));
        if (callee) print({ around: callers, callee, interface: through, name: name.text });
    } else if (place(target)) {
        print({ undecided: callers, name: name.text }); // a function without a name, or the type of one
    }
};

for (const file of program.getSourceFiles()) {
    if (!file.isDeclarationFile && place(file)) visit(file);
}
