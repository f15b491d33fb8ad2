"""extract.py OWNER/NAME…: the words and declarations of all Python files at the base commits of SWE-bench Lite, each blob once.

First step of fitting `portolan-ranking/src/weights.rs`: extract.py, history.py, features.py, fit.py, all in one working folder with
swe_lite.json and MIRROR (git directories owner+name/repo). Writes owner+name.pkl. Needs numpy."""
import json,sys,re,ast,subprocess,pickle,collections,pathlib,zlib,warnings
import numpy as np
warnings.filterwarnings('ignore')
tasks=sorted(json.load(open('swe_lite.json')),key=lambda t:t['instance_id'])
WORD=re.compile(rb'[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*')
PART=re.compile(rb'[A-Z]+(?![a-z\x80-\xff])|[A-Z]?[a-z\x80-\xff]+|[0-9]+')
vocab={}
cache={}
def ids(w):
    r=cache.get(w)
    if r is None:
        p=PART.findall(w); o=[x.lower() for x in p if len(x)>1]
        if len(p)>1: o.append(w.lower())
        r=cache[w]=[vocab.setdefault(x,len(vocab)) for x in o]
    return r
def spans(text):
    out=[]
    try: tree=ast.parse(text)
    except Exception: return None
    def seg(c): return min([c.lineno]+[d.lineno for d in getattr(c,'decorator_list',[])])
    def walk(node,pre,local,cls):
        for c in ast.iter_child_nodes(node):
            if isinstance(c,(ast.FunctionDef,ast.AsyncFunctionDef)):
                d=None
                if c.body and isinstance(c.body[0],ast.Expr) and isinstance(c.body[0].value,ast.Constant) and isinstance(c.body[0].value.value,str): d=(c.body[0].lineno,c.body[0].end_lineno)
                calls=sorted({(n.func.attr if isinstance(n.func,ast.Attribute) else n.func.id) for n in ast.walk(c) if isinstance(n,ast.Call) and isinstance(n.func,(ast.Attribute,ast.Name))})
                out.append(dict(k='f',a=seg(c),z=c.end_lineno,n=pre+c.name,local=local,doc=d,calls=calls,cls=cls))
                walk(c,pre+c.name+'.',True,None)
            elif isinstance(c,ast.ClassDef):
                bases=[ (b.attr if isinstance(b,ast.Attribute) else b.id) for b in c.bases if isinstance(b,(ast.Attribute,ast.Name))]
                d=None
                if c.body and isinstance(c.body[0],ast.Expr) and isinstance(c.body[0].value,ast.Constant) and isinstance(c.body[0].value.value,str): d=(c.body[0].lineno,c.body[0].end_lineno)
                out.append(dict(k='c',a=seg(c),z=c.end_lineno,n=pre+c.name,local=local,doc=d,bases=bases))
                walk(c,pre+c.name+'.',local,pre+c.name)
            elif isinstance(c,(ast.Assign,ast.AnnAssign)) and not local:
                t=c.targets[0] if isinstance(c,ast.Assign) else c.target
                if isinstance(t,ast.Name): out.append(dict(k='v',a=c.lineno,z=c.end_lineno,n=pre+t.id,local=False,doc=None))
            elif isinstance(c,(ast.If,ast.Try,ast.With,ast.For,ast.While)) : walk(c,pre,local,cls)
    walk(tree,'',False,None)
    imports=[]
    for n in ast.walk(tree):
        if isinstance(n,ast.Import): imports+= [a.name for a in n.names]
        elif isinstance(n,ast.ImportFrom): imports+= [('.'*n.level)+(n.module or '')+':'+a.name for a in n.names]
    return out,imports
for repo in sys.argv[1:]:
    vocab={};cache={}
    key=repo.replace('/','+'); git=['git','-C',f'MIRROR/{key}/repo']
    trees={};want={}
    for t in tasks:
        if t['repo']!=repo: continue
        ls=subprocess.run(git+['ls-tree','-r','-z',t['base_commit']],capture_output=True).stdout.decode(errors='replace')
        if not ls: print('missing',t['instance_id']); continue
        fs={}
        for row in ls.split('\0'):
            if not row: continue
            meta,path=row.split('\t',1); m,ty,h=meta.split()
            if ty=='blob' and path.endswith('.py') and m!='120000': fs[path]=h; want[h]=1
        trees[t['instance_id']]=fs
    blobs={}
    p=subprocess.Popen(git+['cat-file','--batch'],stdin=subprocess.PIPE,stdout=subprocess.PIPE)
    for h in want:
        p.stdin.write(h.encode()+b'\n');p.stdin.flush()
        head=p.stdout.readline().split()
        if head[1]==b'missing': continue
        data=p.stdout.read(int(head[2]));p.stdout.read(1)
        if len(data)>2<<20: continue
        tk=[];ln=[]
        for i,l in enumerate(data.split(b'\n'),1):
            for w in WORD.findall(l):
                x=ids(w); tk+=x; ln+=[i]*len(x)
        s=spans(data.decode(errors='replace'))
        blobs[h]=dict(t=np.array(tk,np.int32),l=np.array(ln,np.int32),s=s[0] if s else [],imp=s[1] if s else [],z=zlib.compress(data,1),n=len(data))
    p.stdin.close()
    pickle.dump(dict(trees=trees,blobs=blobs,vocab=vocab),open(f'{key}.pkl','wb'),protocol=4)
    print(repo,len(trees),len(blobs),len(vocab),flush=True)
