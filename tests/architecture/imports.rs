//! Reads which module of a crate imports which, from the tokens of its source.
//!
//! Paths count wherever they occur: in `use`, in expressions, in types, in the arguments of macros.
//! Test code does not count. A path through a re-export leads to the module that defines the name,
//! so a folder's own file may re-export what its modules define without depending on them. Methods
//! that one module calls on another module's type leave no path and are not seen.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The path of a module below the root of its crate: `["dispatch", "fair"]`, empty for the root.
pub(crate) type ModulePath = Vec<String>;

/// A module that names another module of the same crate.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) from: ModulePath,
    pub(crate) to: ModulePath,
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
}

/// The modules of a crate that are compiled without tests, and the imports between them.
#[derive(Debug)]
pub(crate) struct ModuleGraph {
    pub(crate) modules: Vec<ModulePath>,
    pub(crate) imports: Vec<Import>,
}

impl ModuleGraph {
    /// Reads the crate whose source is in the folder `src`.
    pub(crate) fn read(src: &Path) -> Self {
        let root = ["lib.rs", "main.rs"].map(|name| src.join(name));
        let root = root.into_iter().find(|file| file.exists()).expect("a crate has a root");
        let mut sources = BTreeMap::new();
        read_module(&root, src, &[], &mut sources);
        let mut imports = Vec::new();
        for (from, source) in &sources {
            for path in &source.paths {
                let Some(to) = resolve(&sources, from, path, 0) else { continue };
                // A facade re-exports what is below it.
                let is_facade = path.is_reexport && to.starts_with(from);
                if to != *from && !is_facade {
                    let (from, file) = (from.clone(), source.file.clone());
                    imports.push(Import { from, to, file, line: path.line });
                }
            }
        }
        Self { modules: sources.into_keys().collect(), imports }
    }
}

/// A module's file, as far as imports are concerned.
#[derive(Debug)]
struct ModuleSource {
    file: PathBuf,
    paths: Vec<SourcePath>,
}

/// A path in the source that may lead to another module.
#[derive(Clone, Debug)]
struct SourcePath {
    /// Its segments, from `crate`, `self`, `super` or the name of a child module on.
    segments: Vec<String>,
    /// The name that a `use` gives it here; `None` for a path in other code and for `*`.
    name: Option<String>,
    is_reexport: bool,
    line: usize,
}

type Sources = BTreeMap<ModulePath, ModuleSource>;

/// Reads `file`, whose child modules are in `folder`, and all modules below it.
fn read_module(file: &Path, folder: &Path, module: &[String], sources: &mut Sources) {
    let text = fs::read_to_string(file).expect("a module of the crate can be read");
    let tokens: TokenStream = text.parse().expect("a module of the crate has valid tokens");
    let mut reader = Reader { children: child_modules(&tokens), depth: 0, paths: Vec::new() };
    reader.read(&without_tests(&tokens));
    let Reader { children, paths, .. } = reader;
    sources.insert(module.to_vec(), ModuleSource { file: file.to_owned(), paths });
    for child in children {
        let path = [module, slice::from_ref(&child)].concat();
        read_module(&folder.join(format!("{child}.rs")), &folder.join(child), &path, sources);
    }
}

/// The names of `mod name;` declarations, tests aside.
fn child_modules(tokens: &TokenStream) -> Vec<String> {
    let tokens = without_tests(tokens);
    let declarations = tokens.windows(3).filter_map(|window| match window {
        [TokenTree::Ident(keyword), TokenTree::Ident(name), TokenTree::Punct(end)]
            if keyword == "mod" && end.as_char() == ';' =>
        {
            Some(name.to_string())
        }
        _ => None,
    });
    declarations.collect()
}

/// The tokens without the items that only tests have.
fn without_tests(tokens: &TokenStream) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut tokens = tokens.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let attribute = match (&token, tokens.peek()) {
            (TokenTree::Punct(hash), Some(TokenTree::Group(group))) if hash.as_char() == '#' => {
                Some(group.clone())
            }
            _ => None,
        };
        match attribute {
            // The item ends with its body or its semicolon; attributes between are no body.
            Some(group) if is_cfg_test(&group) => {
                for token in tokens.by_ref() {
                    match token {
                        TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => break,
                        TokenTree::Punct(end) if end.as_char() == ';' => break,
                        _ => {}
                    }
                }
            }
            _ => kept.push(token),
        }
    }
    kept
}

/// Returns whether an attribute is `cfg(test)`, alone or with further conditions.
fn is_cfg_test(attribute: &Group) -> bool {
    let text = attribute.stream().to_string().replace(' ', "");
    text.starts_with("cfg(test)") || text.starts_with("cfg(all(test,")
}

/// Collects the paths of a file.
struct Reader {
    children: Vec<String>,
    /// The number of inline modules around the current place.
    depth: usize,
    paths: Vec<SourcePath>,
}

impl Reader {
    fn read(&mut self, tokens: &[TokenTree]) {
        let mut idx = 0;
        let mut statement = Statement::Code;
        while let Some(token) = tokens.get(idx) {
            match token {
                TokenTree::Ident(ident) if ident == "pub" => {
                    statement = Statement::Public;
                    // `pub(in crate::store)` says who may import, and imports nothing.
                    idx += usize::from(is_parenthesized(tokens.get(idx + 1)));
                }
                TokenTree::Ident(ident) if ident == "use" => {
                    let is_reexport = matches!(statement, Statement::Public);
                    statement = Statement::Use { is_reexport };
                }
                TokenTree::Ident(start) if self.begins_path(tokens, idx) => {
                    let (line, n_read) = (start.span().start().line, self.paths.len());
                    idx = self.read_path(tokens, idx, &mut Vec::new(), line);
                    let levels = self.depth;
                    for path in &mut self.paths[n_read..] {
                        path.climb(levels);
                        match statement {
                            Statement::Use { is_reexport } => path.is_reexport = is_reexport,
                            Statement::Code | Statement::Public => path.name = None,
                        }
                    }
                    continue;
                }
                TokenTree::Group(group) => {
                    let is_module = is_inline_module(tokens, idx);
                    self.depth += usize::from(is_module);
                    self.read(&without_tests(&group.stream()));
                    self.depth -= usize::from(is_module);
                    statement = Statement::Code;
                }
                TokenTree::Punct(end) if end.as_char() == ';' => statement = Statement::Code,
                _ => {}
            }
            idx += 1;
        }
    }

    /// Whether the token at `idx` is the first segment of a path into this crate.
    fn begins_path(&self, tokens: &[TokenTree], idx: usize) -> bool {
        let TokenTree::Ident(ident) = &tokens[idx] else { return false };
        let name = ident.to_string();
        let is_root = ["crate", "self", "super"].contains(&name.as_str());
        let is_first = idx == 0 || !is_punct(tokens.get(idx - 1), ':');
        is_first && is_separator(tokens, idx + 1) && (is_root || self.children.contains(&name))
    }

    /// Reads a path, or a tree of paths, from `idx` on; returns where it ends.
    fn read_path(
        &mut self,
        tokens: &[TokenTree],
        mut idx: usize,
        segments: &mut Vec<String>,
        line: usize,
    ) -> usize {
        let depth = segments.len();
        loop {
            match tokens.get(idx) {
                Some(TokenTree::Ident(ident)) => segments.push(ident.to_string()),
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    self.read_tree(group, segments);
                    segments.truncate(depth);
                    return idx + 1;
                }
                // `*`, or generic arguments, whose tokens are read as any others.
                _ => {
                    let is_glob = is_punct(tokens.get(idx), '*');
                    self.push(segments, None, line);
                    segments.truncate(depth);
                    return idx + usize::from(is_glob);
                }
            }
            idx += 1;
            if !is_separator(tokens, idx) {
                break;
            }
            idx += 2;
        }
        let mut name = segments.last().cloned();
        if name.as_deref() == Some("self") && 1 < segments.len() {
            segments.pop();
            name = segments.last().cloned();
        }
        if let (Some(TokenTree::Ident(keyword)), Some(TokenTree::Ident(alias))) =
            (tokens.get(idx), tokens.get(idx + 1))
            && keyword == "as"
        {
            name = Some(alias.to_string());
            idx += 2;
        }
        self.push(segments, name, line);
        segments.truncate(depth);
        idx
    }

    fn read_tree(&mut self, group: &Group, segments: &mut Vec<String>) {
        let tokens: Vec<_> = group.stream().into_iter().collect();
        let mut idx = 0;
        while let Some(token) = tokens.get(idx) {
            let line = token.span().start().line;
            idx = self.read_path(&tokens, idx, segments, line) + 1;
        }
    }

    fn push(&mut self, segments: &[String], name: Option<String>, line: usize) {
        let segments = segments.to_vec();
        self.paths.push(SourcePath { segments, name, is_reexport: false, line });
    }
}

/// What a path is part of.
#[derive(Clone, Copy)]
enum Statement {
    Code,
    Public,
    Use { is_reexport: bool },
}

impl SourcePath {
    /// Rewrites a path from within `levels` inline modules as one from their file.
    fn climb(&mut self, levels: usize) {
        for _ in 0..levels {
            match self.segments.first().map(String::as_str) {
                Some("super") => _ = self.segments.remove(0),
                Some("self") => self.segments.clear(),
                _ => {}
            }
        }
    }
}

/// The module that defines what `path` names in the module `from`; `None` if it is not in a module
/// of this crate.
fn resolve(
    sources: &Sources,
    from: &ModulePath,
    path: &SourcePath,
    n_followed: usize,
) -> Option<ModulePath> {
    let mut module = from.clone();
    let mut segments = path.segments.iter().peekable();
    if segments.next_if(|first| *first == "crate").is_some() {
        module.clear();
    }
    while segments.next_if(|next| *next == "self").is_some() {}
    while segments.next_if(|next| *next == "super").is_some() {
        module.pop()?;
    }
    for segment in segments {
        let child = [module.as_slice(), slice::from_ref(segment)].concat();
        if sources.contains_key(&child) {
            module = child;
            continue;
        }
        // A circle of re-exports does not compile: this limit is for our own mistakes.
        let follow = |path: &SourcePath| resolve(sources, &module, path, n_followed + 1);
        let uses = sources.get(&module)?.paths.iter();
        let mut named = uses.filter(|other| other.name.as_ref() == Some(segment));
        let target = named.next().filter(|_| n_followed < 8).and_then(follow);
        return Some(target.unwrap_or(module));
    }
    Some(module)
}

fn is_inline_module(tokens: &[TokenTree], body: usize) -> bool {
    let is_keyword = |token: &TokenTree| matches!(token, TokenTree::Ident(k) if k == "mod");
    let is_name = |token: &TokenTree| matches!(token, TokenTree::Ident(_));
    2 <= body && is_keyword(&tokens[body - 2]) && is_name(&tokens[body - 1])
}

fn is_parenthesized(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis)
}

fn is_separator(tokens: &[TokenTree], idx: usize) -> bool {
    is_punct(tokens.get(idx), ':') && is_punct(tokens.get(idx + 1), ':')
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}
